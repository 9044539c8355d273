import type { WebAccess } from './web-options.ts'

/** On every answer: no foreign content, framing, caching, content sniffing or referrer. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

/** The security headers, overridden by those of the web configuration. */
export function headersOf({ headers }: WebAccess): Readonly<Record<string, string>> {
  return { ...securityHeaders, ...headers }
}
