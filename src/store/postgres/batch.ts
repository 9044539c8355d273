import type { Connection, FieldDef, Submittable } from 'pg'
import { DriverError } from '../db/postgres/store-error.ts'
import type { Answer } from './session.ts'
import type { AnyStatement } from './statement.ts'

/** Text, or bytes in binary format. */
export type WireValue = string | Buffer | null

/** A statement that is sent to the server. */
export interface Sent {
  readonly statement: AnyStatement
  readonly values: readonly WireValue[]
  settle(answer: Answer): void
  fail(error: unknown): void
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

export type ParserOf = (type: number) => (text: string) => unknown

/** Columns of the statements that a connection prepared, by name; null = not answered yet. */
export type Prepared = Map<string, readonly Column[] | null>

/**
 * Several statements with one Sync message: the server answers them together, and runs none after one that fails. The
 * driver alone would send a Sync for each statement, each answered by a packet.
 */
export class Batch implements Submittable {
  readonly #sent: readonly Sent[]
  readonly #prepared: Prepared
  readonly #parserOf: ParserOf
  #at = 0
  #rows: unknown[] = []
  #unreadable: { readonly error: unknown } | null = null
  #end: (() => void) | null = null

  constructor(sent: readonly Sent[], prepared: Prepared, parserOf: ParserOf) {
    this.#sent = sent
    this.#prepared = prepared
    this.#parserOf = parserOf
  }

  submit(connection: Connection): void {
    connection.stream.cork()
    try {
      for (const { statement, values } of this.#sent) {
        const { name, text } = statement
        if (!this.#prepared.has(name)) {
          // After a failed batch it is unknown what the server prepared.
          connection.close({ type: 'S', name }, true)
          connection.parse({ name, text, types: [] }, true)
          connection.describe({ type: 'S', name }, true)
          this.#prepared.set(name, null)
        }
        connection.bind({ statement: name, values: [...values] }, true)
        connection.execute(null, true)
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
  }

  /** Called by the driver, like the methods below. */
  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#parserOf(dataTypeID) }))
    this.#prepared.set(this.#now().statement.name, columns)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { name, rows } = this.#now().statement
    try {
      this.#rows.push(rowOf(fields, this.#prepared.get(name) ?? [], rows))
    } catch (error) {
      // Thrown here, it would end the process.
      this.#unreadable ??= { error }
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { name } = this.#now().statement
    if (this.#prepared.get(name) === null) this.#prepared.set(name, [])
    const answer = { rows: this.#rows, command: text.split(' ', 1)[0] ?? '' }
    this.#rows = []
    const { fail, settle } = this.#now()
    const end = this.#unreadable === null ? () => settle(answer) : () => fail(this.#unreadable?.error)
    // The connection is free only once the server is ready again.
    if (this.#at === this.#sent.length - 1) this.#end = end
    else {
      end()
      this.#unreadable = null
      this.#at++
    }
  }

  handleReadyForQuery(): void {
    this.#end?.()
  }

  handleError(error: unknown): void {
    for (const [i, { statement, fail }] of this.#sent.slice(this.#at).entries()) {
      if (this.#prepared.get(statement.name) === null) this.#prepared.delete(statement.name)
      fail(i === 0 ? new DriverError(error) : notRun())
    }
  }

  #now(): Sent {
    const sent = this.#sent[this.#at]
    if (sent === undefined) throw new TypeError('The server answers more statements than were sent')
    return sent
  }
}

/** Error of a statement after one that failed. */
export function notRun(): DriverError {
  return new DriverError({ code: '25P02', message: 'An earlier statement failed' })
}

function rowOf(values: readonly (string | null)[], columns: readonly Column[], form: AnyStatement['rows']): unknown {
  if (form === 'objects')
    return Object.fromEntries(columns.map(({ name, parse }, i) => [name, parsed(values[i], parse)]))
  if (form === 'values') return parsed(values[0], columns[0]?.parse)
  const row = new Array<unknown>(columns.length)
  for (let i = 0; i < row.length; i++) row[i] = parsed(values[i], columns[i]?.parse)
  return row
}

function parsed(value: string | null | undefined, parse: Column['parse'] = (text) => text): unknown {
  return value === null || value === undefined ? null : parse(value)
}

export function wireValue(value: unknown): WireValue {
  if (value === null || typeof value === 'string') return value
  if (ArrayBuffer.isView(value)) return bytesOf(value)
  return Array.isArray(value) ? listText(value) : String(value)
}

/** PostgreSQL's text format of an array. */
function listText(values: readonly unknown[]): string {
  if (!values.some(ArrayBuffer.isView)) {
    // JSON is several times as fast; the two formats only differ in escapes.
    const json = JSON.stringify(values)
    if (!json.includes('\\')) return `{${json.slice(1, -1)}}`
  }
  let text = '{'
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ','
    text += memberText(values[i])
  }
  return `${text}}`
}

function memberText(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return String(value)
  if (ArrayBuffer.isView(value)) return `"\\\\x${bytesOf(value).toString('hex')}"`
  const text = String(value)
  return `"${text.includes('"') || text.includes('\\') ? text.replace(/["\\]/g, '\\$&') : text}"`
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
