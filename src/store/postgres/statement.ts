import { hash } from 'node:crypto'
import { encodeParameter } from '../db/postgres/codec.ts'
import { type Translated, translate } from '../db/postgres/placeholders.ts'
import { type Ask, BaseStatement, type Step } from '../steps.ts'

/** `values`: rows are the values of their only column. */
export type Rows = 'objects' | 'arrays' | 'values'

/** A statement as sessions send it. */
export type AnyStatement = Pick<PostgresStatement<readonly unknown[], unknown>, 'name' | 'rows' | 'text'>

export class PostgresStatement<Bind extends readonly unknown[], Row> extends BaseStatement<Bind, Row> {
  /** Prepared once by each connection, under this name. */
  readonly name: string
  readonly text: string
  readonly rows: Rows
  readonly #slots: Translated['slots']

  constructor(text: string, name: string, rows: Rows) {
    super()
    const { slots, text: translated } = translate(text)
    this.name = name
    this.text = translated
    this.rows = rows
    this.#slots = slots
  }

  protected override step<T>(shape: Ask['shape'], bind: Bind): Step<T> {
    return oneStep({ statement: this, params: this.parametersOf(bind), shape })
  }

  /** Parameters as the server expects them, in the order of its placeholders. */
  parametersOf(bind: Bind): readonly unknown[] {
    const named = bind.at(-1) as Readonly<Record<string, unknown>> | undefined
    return this.#slots.map((slot) => {
      const value = typeof slot === 'number' ? bind[slot] : named?.[slot]
      if (value === undefined) throw new TypeError(`No value for parameter ${slot} of: ${this.text}`)
      return encodeParameter(value)
    })
  }
}

/** Equal in every process: with a pooler, another process may have prepared statements on the same connection. */
const nameOf = (key: string) => `tenantwatch_${hash('sha256', key).slice(0, 20)}`

/** Statements of all databases that share connections, so that a connection prepares a text once for all tenants. */
export class Statements {
  readonly #known = new Map<string, PostgresStatement<readonly unknown[], unknown>>()

  of<Bind extends readonly unknown[], Row>(text: string, rows: Rows): PostgresStatement<Bind, Row> {
    const key = `${rows} ${text}`
    const known = this.#known.get(key) ?? new PostgresStatement(text, nameOf(key), rows)
    this.#known.set(key, known)
    return known as PostgresStatement<Bind, Row>
  }
}

/** A step that runs one statement and returns its answer. */
function oneStep<T>(ask: Ask): Step<T> {
  return {
    *[Symbol.iterator]() {
      return (yield ask) as T
    },
  }
}
