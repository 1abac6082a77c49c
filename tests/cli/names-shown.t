# SPDX-License-Identifier: BSD-2-Clause
# Names are shown in the characters of a UTF-8 locale, except those that hide or move others; in other
# locales, and in formats for programs, nothing changes.
locale -a | grep -qi "^c.utf-\?8$" || { echo "no UTF-8 locale"; exit 77; }
cat >t.iot <<'END'
ff %trace source=test command=grüße%20%1b[31m
ff %process id=7 name=größer
ff %file process=7 id=1 object=1 path=/é/日本語
c0 20 0 1000 5 a 1 7 0
ff %file process=7 id=2 object=2 path=/a%e2%80%aeb%C2%9bc%EF%BB%BFd%CC%88e%C2%A0f
80 20 0 64 5 a 2 7 0
ff %file process=7 id=3 object=3 path=/%FF%C3%e2%82%c0%80%F0%9F%98%80\back
80 20 64 64 5 a 3 7 0
ff %op name=日本 process=7 path=/ü to=/ö result=ENOENT
ff %op name=stat process=7 path=/ü result=ENOENT
ff ein Kommentär
END
show() {
	"$IOTRACE" cat --format=text t.iot
	"$IOTRACE" stat t.iot | head -n 5
	"$IOTRACE" stat --by=process t.iot | head -n 2
	"$IOTRACE" info t.iot | grep -E 'source|command'
	cp t.iot größe.iot
	"$IOTRACE" info größe.iot | head -n 1
	"$IOTRACE" check größe.iot | tail -n 1
	echo 'xx' >größe.iot
	"$IOTRACE" info größe.iot 2>&1
	"$IOTRACE" info kein-ö.iot 2>&1
	"$IOTRACE" info "$(printf '\342\200\256\377.iot')" 2>&1
	"$IOTRACE" cat --grün 2>&1
	"$IOTRACE" grün 2>&1
	"$IOTRACE" convert --format-version=1 --from=größer x 2>&1
}
for locale in C C.UTF-8; do
	LC_ALL=$locale
	export LC_ALL
	echo "== $locale"
	show
	for machine in 'cat --format=csv --columns=raw --names' 'cat --format=jsonl' cat 'stat --json' 'stat --tsv' 'info --json' 'check --json'; do
		# shellcheck disable=SC2086
		"$IOTRACE" $machine t.iot
	done >machine.$locale
done
cmp machine.C machine.C.UTF-8 && echo 'the same for programs'
# No control character reaches a terminal through JSON.
printf 'ff %%op name=stat process=7 path=/\302\233m%%c2%%9bm%%9b%%1b%%7f result=0\n' >control.iot
"$IOTRACE" cat --format=jsonl control.iot
