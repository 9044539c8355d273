/** A `token` of RFC 9110, section 5.6.2. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers that frame the message, address a proxy or are set by the client itself. */
const reserved =
  /^(accept|accept-encoding|cache-control|connection|content-.*|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i

/** True for a header in which the token of a tenant may be sent. */
export function canCarryToken(header: string): boolean {
  return headerName.test(header) && !reserved.test(header)
}
