const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The first characters of a GUID, for people; any other text as it is. */
export function shortGuid(text: string): string {
  return isGuid(text) ? `${text.slice(0, 8)}…` : text
}

export function isGuid(text: string): boolean {
  return guid.test(text)
}
