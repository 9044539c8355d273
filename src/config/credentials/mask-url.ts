/**
 * Removes user, password, query and fragment from a URL. Works on text, because an invalid URL may contain a password
 * too.
 */
export function maskUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1redacted@').replace(/[?#].*$/s, '?redacted')
}
