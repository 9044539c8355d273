import type { ResourceName } from '../../../src/model/resource-names.ts'
import { resources } from '../../../src/resources/index.ts'
import { fieldsOf as fields } from '../../../src/simulator/fields.ts'
import type { Simulator } from '../../../src/simulator/index.ts'
import { anything, keys } from './corpus.ts'

/** Resources that are lists. */
export const lists = resources.flatMap(({ name, idField }) => (idField === null ? [] : [name as ListName]))

export type ListName = Exclude<ResourceName, 'authentication-settings'>

/** The fields of a list, the one that identifies a record in front. */
export function fieldsOf(list: ListName): readonly [string, ...string[]] {
  const [idField = '', ...others] = Object.keys(fields[list])
  return [idField, ...others]
}

/** Enough ordinary users that most on the first page have a readable id, by which the tenant is recognized. */
export const manyReadable = 150

/** One record with one hostile value. */
export interface Planted {
  readonly resource: ListName
  readonly field: string
  readonly name: string
  readonly value: unknown
  /** The record as the tenant sends it. */
  readonly record: Readonly<Record<string, unknown>>
}

export interface PlantOptions {
  /** Whether the megabyte is planted too, which takes its time. */
  readonly large?: boolean
}

/** What keeps the simulator from changing a record by itself. */
const completed: Readonly<Partial<Record<ListName, object>>> = { documents: { uploadStatus: 'Completed' } }

/** Puts every value of the corpus into every field of every resource of the primary tenant, a record each. */
export function plant({ primary, faults }: Simulator, { large = true }: PlantOptions = {}): readonly Planted[] {
  const chosen = Object.entries(anything).filter(([name]) => large || name !== 'megabyte')
  const add = (resource: ListName, raw: object) => primary[resource].add({ ...completed[resource], raw: { ...raw } })
  const planted: Planted[] = []
  for (const resource of lists) {
    const [idField, ...others] = fieldsOf(resource)
    for (const field of [idField, ...others]) {
      for (const [name, value] of chosen) {
        const record = add(resource, { [field]: value }) as Readonly<Record<string, unknown>>
        planted.push({ resource, field, name, value, record })
      }
    }
    const odd = new Map(keys.map((key) => [(add(resource, {}) as Readonly<Record<string, unknown>>)[idField], key]))
    const sent = (record: unknown) => withOddKey(record as Readonly<Record<string, unknown>>, idField, odd)
    const path = `/api/public/${resource}`
    const onePath = resource === 'users' ? [`${path}/{id}`] : []
    for (const one of [path, ...onePath]) {
      faults.add({
        path: one,
        effect: {
          kind: 'transform',
          transform: ({ data, ...rest }) => ({ ...rest, data: Array.isArray(data) ? data.map(sent) : sent(data) }),
        },
      })
    }
  }
  return planted
}

/** Content of an unknown field, with nested field names that are special in JavaScript. */
export const oddValue = '{"__proto__":{"polluted":1},"a":[{"constructor":{"__proto__":1}}]}'

/** One record a key carries a field that nobody knows, `__proto__` as a field of its own among them. */
function withOddKey(
  record: Readonly<Record<string, unknown>> | null,
  idField: string,
  odd: ReadonlyMap<unknown, string>,
): unknown {
  const key = record === null ? undefined : odd.get(record[idField])
  if (key === undefined) return record
  return JSON.parse(`${JSON.stringify(record).slice(0, -1)},${JSON.stringify(key)}:${oddValue}}`)
}
