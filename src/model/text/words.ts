/** A sentence as part of another one; an abbreviation at its beginning stays. */
export function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}

/** `not applicable` of the code `not_applicable`. */
export function wordOf(code: string): string {
  return code.replaceAll('_', ' ')
}

/** `W-1, W-2, W-3 and 75 more`: the first few names, and the number of the others. */
export function firstOf(names: readonly string[], most = 3): string {
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}

/** The word of a list that a value is, without regard to letter case and outer space; undefined for another value. */
export function knownWord<T extends string | null>(words: readonly T[], value: unknown): T | undefined {
  const plain = plainWord(value)
  return words.find((word) => plainWord(word) === plain)
}

export function isKnownWord(words: readonly (string | null)[], value: unknown): boolean {
  return knownWord(words, value) !== undefined
}

const plainWord = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : value)

/** The host name, and enough of the rest to distinguish processes on one host. */
export function replicaName(id: string): string {
  return id.replace(/(\/.{6}).*/, '$1')
}

/**
 * Difference of two lists of objects with codes, such as `+Api_Users_Create -Api_Roles_Read`; `~` marks codes whose
 * other fields changed. Null for other values.
 */
export function listChange(before: unknown, after: unknown): string | null {
  const [old, present] = [byCode(before), byCode(after)]
  if (old === null || present === null) return null
  const added = [...present.keys()].filter((code) => !old.has(code)).map((code) => `+${code}`)
  const removed = [...old.keys()].filter((code) => !present.has(code)).map((code) => `-${code}`)
  const changed = [...present].flatMap(([code, item]) => ((old.get(code) ?? item) === item ? [] : [`~${code}`]))
  const all = [...added, ...removed, ...changed]
  return all.length === 0 ? null : all.join(' ')
}

/** Objects as JSON, by code; null if a code is missing or repeated. */
function byCode(value: unknown): ReadonlyMap<string, string> | null {
  if (!Array.isArray(value)) return null
  const items = value.flatMap((item: { readonly code?: unknown } | null) =>
    typeof item?.code === 'string' ? [[item.code, JSON.stringify(item)] as const] : [],
  )
  const map = new Map(items)
  return map.size === value.length ? map : null
}

export function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 finding`, `2 findings`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}
