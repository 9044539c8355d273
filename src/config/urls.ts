import { isLoopback } from '../model/process/loopback.ts'
import { type Read, textAs } from './yaml/leaves.ts'

const wantedBase = 'expected an http(s) URL without user, query or fragment, such as https://api.example.com'
const wantedProxy = 'expected the http(s) URL of a proxy, such as http://proxy.example.com:3128'

/** The origin and path prefix of a tenant, before `/api/public`; trailing slashes are cut. */
export function baseUrl() {
  return textAs(wantedBase, readBaseUrl)
}

function readBaseUrl(text: string): Read<string> {
  const url = parseHttpUrl(text)
  if (url === undefined) return { problem: wantedBase }
  if (url.username !== '' || url.password !== '') return { problem: `it contains credentials; ${wantedBase}` }
  if (/[?#]/.test(text)) return { problem: `it contains a query or a fragment; ${wantedBase}` }
  const path = url.pathname.replace(/\/+$/, '')
  const suffix = /\/api\/public(\/.*)?$/i.exec(path)
  if (suffix === null) return { value: url.origin + path }
  const base = `${url.origin}${path.slice(0, suffix.index)}`
  const wanted = insecurity(base, false) ?? `expected "${base}"`
  return { problem: `remove \`${suffix[0]}\`, which tenantwatch appends: ${wanted}` }
}

/** URL of an OAuth 2 token endpoint. */
export function tokenUrl() {
  const wanted = 'expected an http(s) URL without user or fragment, such as https://login.example.com/token'
  return textAs(wanted, (text) => {
    const url = parseHttpUrl(text)
    const bad = url === undefined || url.username !== '' || url.password !== '' || url.hash !== ''
    return bad ? { problem: wanted } : { value: url.href }
  })
}

/** URL of a proxy; it may contain credentials, so it is only shown masked. */
export function proxyUrl() {
  return textAs(wantedProxy, (text) => {
    const url = parseHttpUrl(text)
    const bad = url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== ''
    return bad ? { problem: wantedProxy } : { value: text }
  })
}

/** Why credentials must not be sent to this URL; undefined when they may. */
export function insecurity(text: string, allowInsecureHttp: boolean): string | undefined {
  const url = new URL(text)
  if (url.protocol === 'https:' || allowInsecureHttp || isLoopback(url.hostname)) return undefined
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
