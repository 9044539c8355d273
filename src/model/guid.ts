const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Some servers send them without dashes, in braces or parentheses, or as a URN. */
const anyGuid = /^(?:urn:uuid:|[{(])?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})[})]?$/i

/** The first characters of a GUID, for people; any other text as it is. */
export function shortGuid(text: string): string {
  return isGuid(text) ? `${text.slice(0, 8)}…` : text
}

export function isGuid(text: string): boolean {
  return guid.test(text)
}

/** In any of these notations. */
export function isAnyGuid(text: string): boolean {
  return anyGuid.test(text)
}

export function isNumberOrGuid(text: string): boolean {
  return /^\d{1,20}$/.test(text) || isAnyGuid(text)
}

/** The canonical form of a GUID, whose notation differs between answers and configurations; any other id is compared as sent. */
export function guidKey(id: unknown): string {
  const text = String(id)
  const [, ...parts] = anyGuid.exec(text) ?? []
  return parts.length === 0 ? text : parts.join('-').toLowerCase()
}
