import type { Fetched, Item } from '../../api/reader.ts'
import { isoMs } from '../../model/dates.ts'
import { SyncError } from '../../model/errors.ts'
import { isGuid } from '../../model/guid.ts'
import type { ResourceDefinition } from '../../model/resource.ts'
import { idOf } from './page-rules.ts'

type Items = Pick<Fetched, 'items'>

type Written = (value: unknown) => string

/** The part of a record that answers are compared by, without unspecified fields and date notation, which may vary. */
function writtenBy({ fields }: ResourceDefinition): Written {
  const comparable = (key: string, value: unknown) => {
    if (Array.isArray(value)) return value.map((one) => JSON.stringify(one)).sort()
    return fields[key]?.kind === 'date' ? (isoMs(value) ?? value) : value
  }
  return (value) => JSON.stringify(value, comparable)
}

/** Names the record and the fields in which two answers differ, without values. */
function differenceIn(one: Items, other: Items, definition: ResourceDefinition): string {
  const byId = ({ items }: Items) => new Map(items.map((item) => [idOf(item, definition.idField), item]))
  const [first, second] = [byId(one), byId(other)]
  const changed = [...first].flatMap(([id, item]) => {
    const fields = differingFields(item, second.get(id), definition)
    return fields === null || fields.length === 0 ? [] : [`${named(id, definition)} in ${fields.join(', ')}`]
  })
  const alone = [...first.keys(), ...second.keys()].filter((id) => !(first.has(id) && second.has(id)))
  const differing = [...changed, ...alone.map((id) => `${named(id, definition)} is in one of them only`)]
  const [example = `${definition.nouns[0]} without a readable id`] = differing
  return differing.length > 1 ? `${example}, and ${differing.length - 1} more` : example
}

function named(id: string | number | null, { idField, nouns: [one] }: ResourceDefinition): string {
  if (idField === null) return one
  // Any other text may be a name.
  return typeof id === 'number' || (id !== null && isGuid(id)) ? `${one} ${id}` : `one ${one} without a valid id`
}

/** Null when the record is in one answer only. */
function differingFields(item: Item, other: Item | undefined, definition: ResourceDefinition): string[] | null {
  if (other === undefined) return null
  const written = writtenBy(definition)
  if (!item.ok || !other.ok) return item.ok === other.ok ? [] : ['a value that is invalid in one of them']
  const field = ({ record }: { readonly record: object }, name: string) =>
    written({ [name]: Reflect.get(record, name) })
  return Object.keys(definition.fields).filter((name) => field(item, name) !== field(other, name))
}

/** True if both answers have the same records, in any order. */
export function isSameAnswer(one: Items, other: Items, definition: ResourceDefinition): boolean {
  const written = writtenBy(definition)
  const texts = ({ items }: Items) =>
    items.map((item) => (item.ok ? written(item.record) : `${item.id} ${item.problem}`)).sort()
  return JSON.stringify(texts(one)) === JSON.stringify(texts(other))
}

export function contradictoryAnswers([one, other]: readonly [Items, Items], definition: ResourceDefinition): SyncError {
  const difference = differenceIn(one, other, definition)
  return new SyncError('contradictory', `Two answers of ${definition.name} differ: ${difference}`, {
    hint: 'Records may have changed between the two answers: then the next run reads them. If it happens again and again, servers behind the address have different data; checks become unknown by age',
  })
}
