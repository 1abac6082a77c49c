/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At a syscall instruction the registers rcx and r11 are free, as the kernel changes them; all
 * others except rax keep their values, and the 128 bytes below the stack pointer may be in use. The
 * unwind information is right from the second instruction on: a thread may be cancelled in its
 * call.
 *
 * A child of clone may have another stack or share its parent's, so such a call is made by the
 * stub itself, with nothing on the stack, and the child returns through the table.
 */
#include "stubs.h"

#include <assert.h>

#include "sites.h"

static_assert(sizeof(struct data_call) == 56 && offsetof(struct stub_frame, argument) == 56 &&
		  offsetof(struct stub_frame, end) == 112,
	      "as in the code below");
static_assert(STUBS == 1024 && STUBS_ANY == 256 && STUB_SIZE == 32 && STUBS_SIZE == 512 &&
		  RECORD_MOVED == 24 && sizeof(struct stub_site) == 16,
	      "as in the code below");

struct stub_site stub_sites[STUBS_ANY + STUBS];

/* Saves what a function of C changes; the frame is in rdi, its end in rbx. */
#define SAVE                                                                                       \
	"	leaq -128(%rsp), %rsp\n"                                                                 \
	"	.cfi_adjust_cfa_offset 128\n"                                                            \
	"	pushq %rcx\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	.cfi_rel_offset %rip, 0\n"                                                               \
	"	pushq %rbx\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	.cfi_rel_offset %rbx, 0\n"                                                               \
	"	movq %rsp, %rbx\n"                                                                       \
	"	.cfi_def_cfa_register %rbx\n"                                                            \
	"	pushq $0\n"                                                                              \
	"	pushq $0\n"                                                                              \
	"	pushq %rax\n"                                                                            \
	"	pushq %r9\n"                                                                             \
	"	pushq %r8\n"                                                                             \
	"	pushq %r10\n"                                                                            \
	"	pushq %rdx\n"                                                                            \
	"	pushq %rsi\n"                                                                            \
	"	pushq %rdi\n"                                                                            \
	"	leaq -56(%rsp), %rdi\n"                                                                  \
	"	movq %rdi, %rsp\n"                                                                       \
	"	andq $-16, %rsp\n"

#define RESTORE_ARGUMENTS                                                                          \
	"	movq -72(%rbx), %rdi\n"                                                                  \
	"	movq -64(%rbx), %rsi\n"                                                                  \
	"	movq -56(%rbx), %rdx\n"                                                                  \
	"	movq -48(%rbx), %r10\n"                                                                  \
	"	movq -40(%rbx), %r8\n"                                                                   \
	"	movq -32(%rbx), %r9\n"

/* Restores all but rax, which has the result of the function. */
#define RESTORE                                                                                    \
	RESTORE_ARGUMENTS                                                                          \
	"	movq %rbx, %rsp\n"                                                                       \
	"	.cfi_def_cfa_register %rsp\n"                                                            \
	"	popq %rbx\n"                                                                             \
	"	.cfi_adjust_cfa_offset -8\n"                                                             \
	"	.cfi_restore %rbx\n"                                                                     \
	"	popq %rcx\n"                                                                             \
	"	.cfi_adjust_cfa_offset -8\n"                                                             \
	"	.cfi_register %rip, %rcx\n"                                                              \
	"	leaq 128(%rsp), %rsp\n"                                                                  \
	"	.cfi_adjust_cfa_offset -128\n"

#define RESTORE_NUMBER "	movq -24(%rbx), %rax\n"

/* clang-format off */
__asm__(
	".text\n"
	".globl stubs_first\n"
	".hidden stubs_first\n"
	".p2align 5\n"
	"stubs_first:\n"
	"	.cfi_startproc simple\n"
	"	.cfi_def_cfa %rsp, 0\n"
	".set stub_index, 0\n"
	".rept 1024\n"
	"	.p2align 5\n"
	"	.cfi_undefined %rip\n"
	"	movq stub_sites+16*(256+stub_index)(%rip), %rcx\n"
	"	.cfi_register %rip, %rcx\n"
	"	movl stub_sites+16*(256+stub_index)+8(%rip), %eax\n"
	"	jmp stub_enter\n"
	".set stub_index, stub_index+1\n"
	".endr\n"
	"	.cfi_endproc\n"

	".globl stubs_moved_first\n"
	".hidden stubs_moved_first\n"
	".p2align 5\n"
	"stubs_moved_first:\n"
	"	.cfi_startproc simple\n"
	"	.cfi_def_cfa %rsp, 0\n"
	"	.cfi_undefined %rip\n"
	".set stub_moved, 0\n"
	".rept 256\n"
	"	.p2align 5\n"
	"	.skip 24, 0x90\n"
	"	jmp stubs_any_first+512*stub_moved\n"
	".set stub_moved, stub_moved+1\n"
	".endr\n"
	"	.cfi_endproc\n"

	/* The call of any other number than those below. */
	".globl stub_enter\n"
	".hidden stub_enter\n"
	"	.p2align 6\n"
	"stub_enter:\n"
	"	.cfi_startproc simple\n"
	"	.cfi_def_cfa %rsp, 0\n"
	"	.cfi_register %rip, %rcx\n"
	SAVE
	"	call stub_begin\n"
	"	cmpq $0, -16(%rbx)\n" /* f->end */
	"	jz 1f\n"
	RESTORE_NUMBER
	RESTORE_ARGUMENTS
	"	syscall\n"
	"	leaq -128(%rbx), %rdi\n"
	"	movq %rax, %rsi\n"
	"	call *-16(%rbx)\n"
	"1:\n"
	RESTORE
	"	notrack jmp *%rcx\n"
	"	.cfi_endproc\n"

	".globl stubs_any_first\n"
	".hidden stubs_any_first\n"
	".p2align 9\n"
	"stubs_any_first:\n"
	".set stub_any, 0\n"
	".rept 256\n"
	"	.p2align 9\n"
	"	.cfi_startproc simple\n"
	"	.cfi_def_cfa %rsp, 0\n"
	"	.cfi_undefined %rip\n"
	"	movq stub_sites+16*stub_any(%rip), %rcx\n"
	"	.cfi_register %rip, %rcx\n"
	"	movl stub_sites+16*stub_any+8(%rip), %r11d\n"
	"	testl %r11d, %r11d\n"
	"	js 1f\n"
	"	movl %r11d, %eax\n" /* the jump replaced what had set it */
	"1:	leal -56(%rax), %r11d\n" /* clone, fork, vfork */
	"	cmpl $2, %r11d\n"
	"	jbe 2f\n"
	"	cmpl $435, %eax\n" /* clone3 */
	"	je 2f\n"
	"	cmpl $15, %eax\n" /* rt_sigreturn, which needs the stack as it is */
	"	je 4f\n"
	"	jmp stub_enter\n"
	"2:\n"
	SAVE
	"	call stub_creates\n"
	"	movzbl %al, %r11d\n"
	RESTORE_NUMBER
	RESTORE
	"	testl %r11d, %r11d\n"
	"	jnz 5f\n"
	"4:	syscall\n"
	"	.cfi_undefined %rip\n"
	"	testq %rax, %rax\n"
	"	jz 3f\n"
	"6:	movq stub_sites+16*stub_any(%rip), %rcx\n"
	"	.cfi_register %rip, %rcx\n"
	SAVE
	"	movq %rax, %rdi\n"
	"	call stub_created\n"
	RESTORE_NUMBER
	RESTORE
	"	notrack jmp *%rcx\n"
	"3:	notrack jmp *stub_sites+16*stub_any(%rip)\n"
	"5:	syscall\n"
	"	.cfi_undefined %rip\n"
	"	jmp 6b\n"
	"	.cfi_endproc\n"
	".set stub_any, stub_any+1\n"
	".endr\n");
/* clang-format on */
