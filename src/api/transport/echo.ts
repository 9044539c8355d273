/** A shorter token may be a word of any answer. */
const shortest = 8

const jsonEscape = /\\(?:u([\da-f]{4})|(["\\/]))/gi

/** True if the body contains the token, as it is or with JSON escapes (docs/sync.md#17-protocol). */
export function echoes(body: Buffer, token: string): boolean {
  if (token.length < shortest) return false
  if (body.includes(token)) return true
  return body.includes('\\') && withoutEscapes(body.toString()).includes(token)
}

function withoutEscapes(text: string): string {
  return text.replace(jsonEscape, (_, hex: string | undefined, sign: string) =>
    hex === undefined ? sign : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
