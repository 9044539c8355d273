import { hash } from 'node:crypto'

/** A digest that does not depend on the order of object keys. */
export function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value, sortKeys) ?? 'undefined')
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
