import { Option } from 'commander'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { type Columns, mapped, type Rows, serialize } from '../model/text/formats.ts'
import { printableJson } from '../model/text/printable.ts'
import { streamedTable } from '../report/table.ts'
import { terminalOf, wrapLine } from '../report/terminal.ts'
import { type AddCommand, addCommand, type CommandData, type CommandRun } from './command.ts'
import { note, writeAll } from './support/io.ts'
import { formatOf, formatOption, outputOption, positiveNumber } from './support/options.ts'
import { writeFile } from './support/write-file.ts'

/** The rows of a list command and how they are shown. */
export interface Listing<Row extends object> {
  readonly rows: Rows<Row>
  /** Columns of CSV, and members of a JSON object unless `object` makes it. */
  readonly columns: Columns<Row>
  readonly object?: (row: Row) => object
  /** Columns of the table by their headings, or the members that they show; the last one takes the rest of the width. */
  readonly table: Readonly<Record<string, (keyof Row & string) | ((row: Row) => unknown)>>
  /** Headings of columns that a narrow terminal leaves out, the first ones first. */
  readonly optional?: readonly string[]
  /** Most lines of the last column on a terminal; default 1. */
  readonly lines?: number
  /** Which rows `--limit` keeps. */
  readonly keeps?: 'first' | 'last'
  /** The sentence on standard error in place of an empty table. */
  readonly none: string
  /** Below the table on a terminal, once all rows are read; not below a part of them. */
  readonly summary?: () => string
  /** On standard error, such as data quality and unknown checks: an incomplete list must not look complete. */
  readonly notes?: readonly string[]
  readonly code?: ExitCode
}

export interface ListRun<Options> extends CommandRun<Options & { readonly format: string }> {
  readonly present: <Row extends object>(listing: Listing<Row>) => Promise<ExitCode>
}

/** A command that lists rows: data, which `addList` turns into a command. */
export interface ListCommand<Options> extends Omit<CommandData<Options>, 'run'> {
  /** The default first. A further one writes NDJSON of `object`. */
  readonly formats?: readonly string[]
  readonly run: (run: ListRun<Options>) => Promise<ExitCode>
}

const usualFormats = ['table', 'json', 'ndjson', 'csv'] as const

/** Adds a list command: all have `--format`, `--limit` and `--output`. */
export function addList<Options>({ run, formats = usualFormats, ...data }: ListCommand<Options>): AddCommand {
  return addCommand<Options & Form>({
    ...data,
    options: [
      ...(data.options ?? []),
      formatOption(formats),
      new Option('--limit <n>', 'at most this many rows').argParser(positiveNumber),
      outputOption(),
    ],
    run: (given) => {
      const options = { ...given.options, format: formatOf(given.command, given.options, formats) }
      return run({ ...given, options, present: (listing) => presentList(given.io, options, listing) })
    },
  })
}

interface Form {
  readonly format: string
  readonly limit?: number
  readonly output?: string
}

async function presentList<Row extends object>(
  io: Io,
  { format, limit, output }: Form,
  listing: Listing<Row>,
): Promise<ExitCode> {
  const seen = { rows: 0, isCut: false }
  const rows = limited(listing, limit ?? Number.POSITIVE_INFINITY, seen)
  const terminal = output === undefined ? terminalOf(io) : null
  const isTable = format === 'table'
  const wire = format === 'json' || format === 'csv' ? format : 'ndjson'
  const pieces = isTable ? tableOf(rows, listing) : serialize(wire, rows, listing.columns, listing.object)
  if (output === undefined) await writeAll(io, pieces, isTable)
  else await writeFile(io, { name: output, pieces })
  if (isTable && seen.rows === 0) note(io, listing.none)
  else if (!seen.isCut && terminal !== null && listing.summary !== undefined)
    io.stdout.write(`\n${wrapLine(listing.summary(), terminal, 2)}\n`)
  if (seen.isCut) note(io, `--limit left out further rows: these are the ${listing.keeps ?? 'first'} ${seen.rows}`)
  for (const line of listing.notes ?? []) note(io, line)
  return listing.code ?? exitCodes.ok

  function tableOf(all: Rows<Row>, { table, optional = [], lines = 1 }: Listing<Row>): AsyncIterable<string> {
    const cells = Object.values(table)
    const texts = mapped(all, (row) => cells.map((of) => cellText(typeof of === 'function' ? of(row) : row[of])))
    return streamedTable(Object.keys(table), texts, { terminal, optional, lines })
  }
}

function cellText(value: unknown): string {
  return typeof value === 'object' && value !== null ? printableJson(value) : String(value ?? '')
}

/** The last rows are in memory at most twice. */
async function* limited<Row extends object>(
  { rows, keeps = 'first' }: Listing<Row>,
  limit: number,
  seen: { rows: number; isCut: boolean },
): AsyncIterable<Row> {
  let last: Row[] = []
  for await (const row of rows) {
    if (keeps === 'last' && Number.isFinite(limit)) {
      last.push(row)
      if (last.length > 2 * limit) last = last.slice(-limit - 1)
      continue
    }
    seen.isCut = seen.rows === limit
    if (seen.isCut) return
    seen.rows++
    yield row
  }
  if (keeps === 'first' || !Number.isFinite(limit)) return
  seen.isCut = last.length > limit
  seen.rows = Math.min(last.length, limit)
  yield* last.slice(-limit)
}
