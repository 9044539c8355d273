import { hash } from 'node:crypto'
import type { RowMode } from '../db.ts'
import { encodeParameter } from './codec.ts'
import { type Translated, translate } from './placeholders.ts'

/** A statement as the driver takes it. */
export interface Query {
  /** Each connection prepares the text once, under this name. */
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
  readonly rowMode?: 'array'
}

/** Statements by their text, translated once for all connections. */
export class Statements {
  readonly #known = new Map<string, Translated & { readonly name: string }>()

  queryOf(text: string, params: readonly unknown[], mode: RowMode): Query {
    const { name, slots, text: translated } = this.#translated(text)
    const named = params.at(-1) as Readonly<Record<string, unknown>> | undefined
    const values = slots.map((slot) => {
      const value = typeof slot === 'number' ? params[slot] : named?.[slot]
      if (value === undefined) throw new TypeError(`No value for parameter ${slot} of: ${translated}`)
      return encodeParameter(value)
    })
    return { name, text: translated, values, ...(mode !== 'objects' && { rowMode: 'array' }) }
  }

  #translated(text: string) {
    const known = this.#known.get(text) ?? { ...translate(text), name: nameOf(text) }
    this.#known.set(text, known)
    return known
  }
}

/** Equal in every process: with a pooler, another process may have prepared statements on the same connection. */
function nameOf(text: string): string {
  return `tenantwatch_${hash('sha256', text).slice(0, 20)}`
}
