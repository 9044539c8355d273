import type { Position } from './cursors.ts'
import { type FieldKinds, withFields } from './fields.ts'
import type { TenantSizes } from './options.ts'
import { emptyBase, OrderedStore } from './ordered-store.ts'
import { type Page, readPage } from './paginate.ts'
import type { RenderStyle } from './server/render.ts'
import type { Raw, TenantName } from './truth.ts'

interface Listed {
  readonly createdAt: number
  readonly raw: Raw
}

export interface ListSeed {
  readonly tenant: TenantName
  readonly seed: number
  /** Reference time of dates, epoch milliseconds. */
  readonly now: number
  readonly problems: boolean
  readonly sizes: TenantSizes
}

export interface Blank {
  readonly id: string
  readonly made: number
  readonly now: number
}

/** A paginated list of records with a GUID, oldest first. */
export interface ListDefinition<T extends Listed> {
  readonly idField: keyof T & string
  readonly kinds: FieldKinds
  readonly seed: (of: ListSeed) => readonly T[]
  readonly blank: (of: Blank) => T
  readonly render: (record: T, style: RenderStyle) => object
}

/** The list of one tenant. Ids are taken in any letter case. */
export interface List {
  readonly store: unknown
  page(start: Position, limit: number, style: RenderStyle): Page<object>
  records(style: RenderStyle): Iterable<object>
  find(id: string, style: RenderStyle): object | undefined
  /** Returns the id. */
  add(fields: object, blank: Blank): string
  /** Returns the id, or undefined when there is no such record. */
  update(id: string, fields: object): string | undefined
  remove(id: string): boolean
}

export type ListFactory = (seed: ListSeed) => List

export function defineList<T extends Listed>({ idField, kinds, seed, blank, render }: ListDefinition<T>): ListFactory {
  return (of) => {
    const idOf = (record: T) => String(record[idField])
    const store = new OrderedStore<T>(emptyBase(), (record) => ({ sort: record.createdAt, id: idOf(record) }))
    for (const record of seed(of)) store.add(record)
    return {
      store,
      page(start, limit, style) {
        const page = readPage(store, start, limit, null)
        return { ...page, records: page.records.map((record) => render(record, style)) }
      },
      *records(style) {
        for (const record of store.after(null)) yield render(record, style)
      },
      find(id, style) {
        const record = store.get(id.toLowerCase())
        return record === undefined ? undefined : render(record, style)
      },
      add(fields, of) {
        const record = withFields(blank(of), fields, kinds)
        store.add(record)
        return idOf(record)
      },
      update(id, fields) {
        const old = store.get(id.toLowerCase())
        if (old === undefined) return undefined
        const record = withFields(old, fields, kinds)
        store.replace(id.toLowerCase(), record)
        return idOf(record)
      },
      remove: (id) => store.remove(id.toLowerCase()),
    }
  }
}
