import { isObject } from './is-object.ts'

/**
 * The value with the keys of every object in order: JSON gives their order no meaning, so another order must not look
 * like a change. A null prototype keeps `__proto__` an ordinary key. The value must not be nested without bounds.
 */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  const ordered = Object.create(null) as Record<string, unknown>
  for (const key of Object.keys(value).sort()) ordered[key] = canonical(value[key])
  return ordered
}
