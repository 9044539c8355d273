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

export async function* jsonArray(batches: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let separator = '[\n'
  for await (const batch of batches) {
    if (batch.length === 0) continue
    yield separator + batch.map((element) => printableJson(element)).join(',\n')
    separator = ',\n'
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n'
}
