import { isLoopback } from '../model/process/address.ts'
import { textThat } from './leaves.ts'

const wantedBase = 'an http(s) URL without user, query or fragment, such as https://api.example.com'
const wantedToken = 'an http(s) URL without user or fragment, such as https://login.example.com/token'
const wantedProxy = 'the http(s) URL of a proxy, such as http://proxy.example.com:3128'
const apiPath = /\/api\/public(\/.*)?$/i

/** The origin and path prefix of a tenant, before `/api/public`; trailing slashes are cut. */
export function baseUrl() {
  return textThat(wantedBase, problemOfBase).transform((text) => baseOf(new URL(text)))
}

const baseOf = (url: URL) => url.origin + url.pathname.replace(/\/+$/, '')

function problemOfBase(text: string): string | null {
  const url = parseHttpUrl(text)
  if (url === undefined) return `expected ${wantedBase}`
  if (url.username !== '' || url.password !== '') return `it contains credentials; expected ${wantedBase}`
  if (/[?#]/.test(text)) return `it contains a query or a fragment; expected ${wantedBase}`
  const [suffix] = apiPath.exec(baseOf(url)) ?? []
  if (suffix === undefined) return null
  const base = baseOf(url).slice(0, -suffix.length)
  return `remove \`${suffix}\`, which tenantwatch appends: ${insecurity(base, false) ?? `expected "${base}"`}`
}

/** URL of an OAuth 2 token endpoint. */
export function tokenUrl() {
  return textThat(wantedToken, (text) => {
    const url = parseHttpUrl(text)
    const isBad = url === undefined || url.username !== '' || url.password !== '' || url.hash !== ''
    return isBad ? `expected ${wantedToken}` : null
  }).transform((text) => new URL(text).href)
}

/** URL of a proxy; it may contain credentials, so it is only shown masked. */
export function proxyUrl() {
  return textThat(wantedProxy, (text) => {
    const url = parseHttpUrl(text)
    const isBad = url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== ''
    return isBad ? `expected ${wantedProxy}` : null
  })
}

/** Why credentials must not be sent to this URL; undefined when they may. */
export function insecurity(text: string, allowInsecureHttp: boolean): string | undefined {
  const url = parseHttpUrl(text)
  if (url?.protocol !== 'http:' || allowInsecureHttp || isLoopback(url.hostname)) return undefined
  const secure = maskUrl(text).replace(/^http:/i, 'https:')
  return `expected "${secure}", or \`api.allowInsecureHttp: true\` in a configuration file to send the token unencrypted`
}

/** Refuses blanks, backslashes and missing slashes, which the URL parser accepts. */
function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return undefined
  return URL.parse(text) ?? undefined
}

/** Removes user, password, query and fragment; works on text, because an invalid URL may contain a password too. */
export function maskUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1redacted@').replace(/[?#].*$/s, '?redacted')
}
