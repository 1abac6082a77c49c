# SPDX-License-Identifier: BSD-2-Clause
# The output has the framing of the input unless an option changes it.
cat >bare <<'END'
ff of a kind
c0 22 0 8 0 1f4 3 7 0
c0 ec 3e8 1f5 3e8
END
"$IOTRACE" cat bare | cmp - bare
"$IOTRACE" cat --framed --sync=1 --in-tick=250 bare | tee framed
"$IOTRACE" cat framed | cmp - framed
"$IOTRACE" cat --bare framed
"$IOTRACE" cat --sync=0 framed
"$IOTRACE" cat --bare --framed bare
echo "$?"
