const maxLength = 16_384

export const bareSecretHint = 'Store the bare secret there, without a header name or quotes'

/** Problem of a secret's text, without the text; null for one word of visible ASCII, which a header can carry. */
export function secretProblem(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return 'is empty'
  if (trimmed.length > maxLength) return `is longer than ${maxLength} characters`
  if (/^[\x21-\x7e]+$/.test(trimmed)) return null
  return 'contains a space, a control character or a character beyond ASCII'
}
