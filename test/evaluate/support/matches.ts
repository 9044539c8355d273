import type { Condition, MirrorRecord, Scalar, Where } from '../../../src/store/records/query.ts'

/** Whether a record meets the conditions, by the words of the port and no database. */
export function matches(record: MirrorRecord, { all = [], anyOf = [] }: Where = {}): boolean {
  const meets = (condition: Condition) => meetsOne(record, condition)
  return all.every(meets) && (anyOf.length === 0 || anyOf.some((group) => group.every(meets)))
}

export function fieldOf(record: MirrorRecord, field: string): Scalar {
  const value = Object.hasOwn(record.fields, field) ? record.fields[field] : record.times[field]
  if (value === undefined) throw new TypeError(`The record has no field ${field}`)
  return value as Scalar
}

function meetsOne(record: MirrorRecord, condition: Condition): boolean {
  const value = fieldOf(record, condition.field)
  if ('is' in condition) return value === condition.is
  if ('not' in condition) return condition.not === null ? value !== null : value !== null && value !== condition.not
  if ('in' in condition) return condition.in.includes(value)
  if ('notIn' in condition) return value !== null && !condition.notIn.includes(value)
  if (typeof value !== 'number') return false
  return 'atMost' in condition ? value <= condition.atMost : value > condition.above
}
