import type { ResourceName } from '../../model/resource-names.ts'
import type { Condition, MirrorRecord, Scalar, Where } from './query.ts'

type Select = (resource: ResourceName) => AsyncIterable<readonly MirrorRecord[]>

export function matches(record: MirrorRecord, { all = [], anyOf }: Where = {}): boolean {
  const meets = (condition: Condition) => meetsOne(record, condition)
  return all.every(meets) && (anyOf === undefined || anyOf.length === 0 || anyOf.some((group) => group.every(meets)))
}

function fieldOf(record: MirrorRecord, field: string): Scalar {
  if (field === 'readAt') return record.readAt
  if (field.endsWith('Key') || field === 'singleton') return record.key
  return (Object.hasOwn(record.fields, field) ? record.fields[field] : record.times[field]) as Scalar
}

function meetsOne(record: MirrorRecord, condition: Condition): boolean {
  const value = fieldOf(record, condition.field)
  if ('is' in condition) return value === condition.is
  if ('not' in condition) return value !== condition.not
  if ('in' in condition) return value !== null && condition.in.includes(value)
  if ('notIn' in condition) return value !== null && !condition.notIn.includes(value)
  if (typeof value !== 'number') return false
  return 'atMost' in condition ? value <= condition.atMost : value > condition.above
}

export function interim({ select }: { readonly select: Select }) {
  async function* filtered(resource: ResourceName, where?: Where) {
    for await (const batch of select(resource)) {
      const found = where === undefined ? batch : batch.filter((record) => matches(record, where))
      if (found.length > 0) yield found
    }
  }
  async function all(resource: ResourceName, where?: Where) {
    const found: MirrorRecord[] = []
    for await (const batch of filtered(resource, where)) found.push(...batch)
    return found
  }
  return {
    select: filtered,
    count: async (resource: ResourceName, where?: Where) => (await all(resource, where)).length,
    async countBy(resource: ResourceName, fields: readonly string[], where?: Where) {
      const groups = Map.groupBy(await all(resource, where), (record) =>
        JSON.stringify(fields.map((field) => fieldOf(record, field))),
      )
      return [...groups]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, { length: count }]) => ({ values: JSON.parse(key) as Scalar[], count }))
    },
    async duplicates(resource: ResourceName, field: string) {
      const groups = Map.groupBy(await all(resource), (record) => fieldOf(record, field))
      return [...groups]
        .filter(([value, { length }]) => value !== null && length > 1)
        .map(([value, { length: count }]) => ({ value: String(value), count }))
        .sort((a, b) => (a.value < b.value ? -1 : 1))
    },
    async hasRepeats(resource: ResourceName, field: string) {
      const texts = (await all(resource))
        .filter(({ absent }) => !absent)
        .map((record) => String(fieldOf(record, field) ?? '').toLowerCase())
        .filter((text) => text !== '')
      return new Set(texts).size < texts.length
    },
  }
}
