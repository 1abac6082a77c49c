/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of memory and text that change no vector registers, which a system call preserves:
 * functions of libc do, and a program may have values there that it does not save at its call.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t __attribute__((may_alias, aligned(1))) word;

enum { FEW = 256 /* bytes, for which a repeated instruction takes longer to start */ };

static void copy_many(char *to, const char *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void copy_few(char *to, const char *from, size_t size)
{
	size_t i = 0;
	for (; i + sizeof(word) <= size; i += sizeof(word))
		*(word *)(to + i) = *(const word *)(from + i);
	for (; i < size; i++)
		to[i] = from[i];
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	if (size > FEW)
		copy_many(to, from, size);
	else
		copy_few(to, from, size);
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	void *const result = to;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return result;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;
	for (; size > 0; size--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *text)
{
	const char *end = text;
	while (*end != '\0')
		end++;
	return (size_t)(end - text);
}

size_t strnlen(const char *text, size_t size)
{
	size_t n = 0;
	while (n < size && text[n] != '\0')
		n++;
	return n;
}

char *strchrnul(const char *text, int byte)
{
	while (*text != '\0' && *text != (char)byte)
		text++;
	return (char *)(uintptr_t)text;
}

char *strchr(const char *text, int byte)
{
	char *const found = strchrnul(text, byte);
	return *found == (char)byte ? found : NULL;
}

char *strrchr(const char *text, int byte)
{
	char *found = NULL;
	for (; *text != '\0'; text++)
		if (*text == (char)byte)
			found = (char *)(uintptr_t)text;
	return found;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size > 0; size--, a++, b++)
		if (*a != *b || *a == '\0')
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

char *strstr(const char *text, const char *part)
{
	const size_t size = strlen(part);
	for (; *text != '\0'; text++)
		if (strncmp(text, part, size) == 0)
			return (char *)(uintptr_t)text;
	return size == 0 ? (char *)(uintptr_t)text : NULL;
}

static size_t span(const char *text, const char *bytes, bool of)
{
	size_t n = 0;
	while (text[n] != '\0' && (strchr(bytes, text[n]) != NULL) == of)
		n++;
	return n;
}

size_t strspn(const char *text, const char *accepted)
{
	return span(text, accepted, true);
}

size_t strcspn(const char *text, const char *rejected)
{
	return span(text, rejected, false);
}
