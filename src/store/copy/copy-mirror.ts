import { yieldAfter } from '../../model/yield-to-event-loop.ts'
import { type Contents, ContentsSum, isSame, type Row } from './contents.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'

/** A mirror that does not change during the copy. */
export interface CopySource {
  /** All rows in the order of the key. */
  rows(table: CopiedTable): Iterable<Row>
  /** @throws FatalError when the mirror was changed since the copy began. */
  insistOnUnchanged(): void
}

/** A database that is empty or contains an unfinished copy. */
export interface CopyTarget {
  contents(table: CopiedTable, signal: AbortSignal): Promise<Contents>
  /** Adds rows in one transaction. */
  insert(table: CopiedTable, rows: readonly Row[]): Promise<void>
  empty(table: CopiedTable): Promise<void>
  /** Fills the derived tables from the copied ones. */
  derive(): Promise<void>
  /** Makes the copy a mirror that engines may open. */
  complete(): Promise<void>
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
  readonly rowsPerBatch?: number
}

export interface CopyResult {
  readonly table: string
  readonly rows: number
  /** False = the target has different rows and is not complete. */
  readonly verified: boolean
}

const defaultRowsPerBatch = 1000

/** Characters and bytes per batch, which bounds the memory for rows with long texts. */
const batchSize = 2 ** 20

/**
 * Copies a mirror and compares both sides. Rows of an interrupted copy are kept if they equal the beginning of the
 * table, else replaced (docs/postgresql.md#moving-over).
 *
 * @throws the signal's reason when aborted, FatalError when the source was changed.
 */
export async function copyMirror(options: CopyOptions): Promise<readonly CopyResult[]> {
  const { source, target, signal, onProgress } = options
  const wanted = new Map<CopiedTable, Contents>()
  for (const table of copiedTables) {
    const contents = table.kind === 'copied' ? await copyTable(table, options) : contentsOf(source.rows(table))
    wanted.set(table, contents)
  }
  source.insistOnUnchanged()
  signal.throwIfAborted()
  await target.derive()
  const results: CopyResult[] = []
  for (const [table, contents] of wanted) {
    signal.throwIfAborted()
    onProgress?.({ doing: 'verifying', table: table.name, rows: contents.rows })
    const verified = isSame(await target.contents(table, signal), contents)
    results.push({ table: table.name, rows: contents.rows, verified })
  }
  if (!results.every(({ verified }) => verified)) return results
  source.insistOnUnchanged()
  await target.complete()
  return results
}

function contentsOf(rows: Iterable<Row>): Contents {
  const sum = new ContentsSum()
  for (const row of rows) sum.add(row)
  return sum.contents
}

/** @returns contents of the table in the source. */
async function copyTable(table: CopiedTable, options: CopyOptions): Promise<Contents> {
  const { target, signal } = options
  signal.throwIfAborted()
  const copied = await target.contents(table, signal)
  const contents = await copyAfter(copied, table, options)
  if (contents !== null) return contents
  await target.empty(table)
  const nothing = await target.contents(table, signal)
  const whole = await copyAfter(nothing, table, options)
  if (whole === null) throw new TypeError(`${table.name} is not empty after it was emptied`)
  return whole
}

/** Copies the rows after those in the target. Null = the target's rows are not the beginning of the table. */
async function copyAfter(copied: Contents, table: CopiedTable, options: CopyOptions): Promise<Contents | null> {
  const { source, target, signal, onProgress, rowsPerBatch = defaultRowsPerBatch } = options
  const pause = yieldAfter(1)
  const sum = new ContentsSum()
  const isBeginning = () => isSame(sum.contents, copied)
  let isTaken = isBeginning()
  for (const batch of batchesOf(source.rows(table), rowsPerBatch, copied.rows)) {
    for (const row of batch) sum.add(row)
    if (isTaken) await target.insert(table, batch)
    else {
      if (sum.rows === copied.rows && !isBeginning()) return null
      isTaken = sum.rows === copied.rows
      await pause()
    }
    onProgress?.({ doing: 'copying', table: table.name, rows: sum.rows })
    signal.throwIfAborted()
  }
  return isTaken ? sum.contents : null
}

/** @param first number of rows after which the first batch ends. */
function* batchesOf(rows: Iterable<Row>, mostRows: number, first: number): Iterable<readonly Row[]> {
  let batch: Row[] = []
  let size = 0
  let all = 0
  for (const row of rows) {
    batch.push(row)
    size += sizeOf(row)
    all++
    if (batch.length < mostRows && size < batchSize && all !== first) continue
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
