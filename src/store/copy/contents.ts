import { hash } from 'node:crypto'

/** Values in the order of the columns, as a driver returns them. */
export type Row = readonly unknown[]

/** Digest of a table's contents, equal for equal contents in any database. */
export interface Contents {
  readonly rows: number
  readonly digest: string
}

/** Sums the digests of rows, because databases sort texts with U+0000 differently. Rows have distinct keys. */
export class ContentsSum {
  #rows = 0
  #sum = 0n

  add(row: Row): void {
    this.#rows++
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash('sha256', canonicalText(row))}`))
  }

  get rows(): number {
    return this.#rows
  }

  get contents(): Contents {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(64, '0') }
  }
}

export function isSame(one: Contents, other: Contents): boolean {
  return one.rows === other.rows && one.digest === other.digest
}

export function canonicalText(row: Row): string {
  return JSON.stringify(row.map(canonical))
}

/** Rounds numbers: SQLite keeps fractions of milliseconds, PostgreSQL rounds them. */
function canonical(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value)
  return Buffer.isBuffer(value) ? value.toString('base64') : value
}
