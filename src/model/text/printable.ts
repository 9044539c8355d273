/** Escapes control, format, bidirectional and separator characters, which could alter a terminal or page. */
export function printable(text: string, longest = Number.POSITIVE_INFINITY): string {
  const shown = text
    .slice(0, longest * 2)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
  if (shown.length <= longest && text.length <= longest * 2) return shown
  const chars = Array.from(shown)
  return chars.length > longest || text.length > longest * 2 ? `${chars.slice(0, longest).join('')}…` : shown
}

/** An id without dot, space or `@`, so that it is no e-mail, personal name or file name. */
export const plainId = /^[\w-]{1,64}$/

/** JSON in which the characters that `printable` escapes are JSON escapes, so that parsing returns the same value. */
export function printableJson(value: unknown): string {
  return escapeInJson(JSON.stringify(value))
}

export function escapeInJson(json: string): string {
  if (/^[\n\x20-\x7e]*$/.test(json)) return json
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}
