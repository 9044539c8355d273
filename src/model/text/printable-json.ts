/**
 * A value as JSON that cannot act on a terminal or forge a line: what `printable` would show as an escape is written as
 * one of JSON's own, so that it reads back as the same value.
 */
export function printableJson(value: unknown): string {
  return escapeInJson(JSON.stringify(value))
}

/** The same for JSON that is written already; a line feed between values stays. */
export function escapeInJson(json: string): string {
  if (/^[\n\x20-\x7e]*$/.test(json)) return json
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}
