import { FatalError } from '../../model/errors.ts'
import { type Contents, ContentsSum, isSame, type Row } from './contents.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'

/** A mirror that does not change during the copy. */
export interface CopySource {
  /** All rows in the order of the key. */
  rows(table: CopiedTable): Iterable<Row>
  /** @throws FatalError when the mirror was changed since the copy began. */
  insistOnUnchanged(): void
}

/** A transaction of an empty database. */
export interface CopyTarget {
  insert(table: CopiedTable, rows: readonly Row[]): Promise<void>
  contents(table: CopiedTable): Promise<Contents>
}

export interface CopyStep {
  readonly doing: 'copying' | 'verifying'
  readonly table: string
  /** Rows of the table so far. */
  readonly rows: number
}

export interface CopyOptions {
  readonly source: CopySource
  readonly target: CopyTarget
  readonly signal: AbortSignal
  readonly onProgress?: (step: CopyStep) => void
}

export interface CopiedRows {
  readonly table: string
  readonly rows: number
}

/** Rows, and characters and bytes, of a batch: they bound the memory for rows with long texts. */
const rowsPerBatch = 1000
const batchSize = 2 ** 20

/**
 * Copies a mirror and compares both sides (docs/postgresql.md#moving-over).
 *
 * @throws the signal's reason when aborted, FatalError when the source was changed or a table differs: the caller then
 * rolls the transaction back.
 */
export async function copyMirror(options: CopyOptions): Promise<readonly CopiedRows[]> {
  const { source, target, signal, onProgress } = options
  const wanted = new Map<CopiedTable, Contents>()
  for (const table of copiedTables) wanted.set(table, await copyTable(table, options))
  const differing: string[] = []
  for (const [table, contents] of wanted) {
    signal.throwIfAborted()
    onProgress?.({ doing: 'verifying', table: table.name, rows: contents.rows })
    if (!isSame(await target.contents(table), contents)) differing.push(table.name)
  }
  source.insistOnUnchanged()
  if (differing.length > 0)
    throw new FatalError(`The copy differs from the file in ${differing.join(', ')}; nothing was stored`)
  return [...wanted].map(([{ name }, { rows }]) => ({ table: name, rows }))
}

/** @returns contents of the table in the source. */
async function copyTable(table: CopiedTable, options: CopyOptions): Promise<Contents> {
  const { source, target, signal, onProgress } = options
  const sum = new ContentsSum()
  for (const batch of batchesOf(source.rows(table))) {
    signal.throwIfAborted()
    for (const row of batch) sum.add(row)
    await target.insert(table, batch)
    onProgress?.({ doing: 'copying', table: table.name, rows: sum.rows })
  }
  return sum.contents
}

function* batchesOf(rows: Iterable<Row>): Iterable<readonly Row[]> {
  let batch: Row[] = []
  let size = 0
  for (const row of rows) {
    batch.push(row)
    size += sizeOf(row)
    if (batch.length < rowsPerBatch && size < batchSize) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

function sizeOf(row: Row): number {
  let size = 0
  for (const value of row) size += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8
  return size
}
