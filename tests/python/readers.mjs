// SPDX-License-Identifier: BSD-2-Clause
// Prints, as JSON, the rows of a Parquet file, sums of length and offset, and sums of length by path:
// readers.mjs hyparquet|nodejs-polars PARQUET, with build/npm as the current directory.
import { createRequire } from 'node:module'

const [reader, path] = process.argv.slice(2)
const load = name => import(createRequire(`${process.cwd()}/`).resolve(name))

async function rowsOfHyparquet() {
  const { asyncBufferFromFile, parquetReadObjects } = await load('hyparquet')
  const { compressors } = await load('hyparquet-compressors')
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
}

async function rowsOfPolars() {
  return (await load('nodejs-polars')).default.readParquet(path).toRecords()
}

const rows = await (reader === 'hyparquet' ? rowsOfHyparquet() : rowsOfPolars())
const sums = { rows: BigInt(rows.length), length: 0n, offset: 0n }
const groups = {}
for (const row of rows) {
  sums.length += BigInt(row.length ?? 0)
  sums.offset += BigInt(row.offset ?? 0)
  const key = row.path ?? ''
  groups[key] = (groups[key] ?? 0n) + BigInt(row.length ?? 0)
}
console.log(JSON.stringify({ ...sums, groups }, (_, v) => typeof v === 'bigint' ? String(v) : v))
