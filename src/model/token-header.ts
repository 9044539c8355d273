/** A `token` of RFC 9110, section 5.6.2. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers that frame the message, address a proxy or are set by the client itself. */
const reserved =
  /^(accept|accept-encoding|cache-control|connection|content-.*|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i

/** True for a header in which the token of a tenant may be sent. */
export function canCarryToken(header: string): boolean {
  return headerName.test(header) && !reserved.test(header)
}

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
