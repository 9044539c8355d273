/**
 * A URL, or what was meant to be one, without whatever may be secret in it: user, password, query, fragment. Works on
 * text, not on a parsed URL, because what does not parse may carry a password too.
 */
export function maskUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1redacted@').replace(/[?#].*$/s, '?redacted')
}
