import * as z from 'zod'
import { isLoopback } from '../model/process/address.ts'
import { dayMs, parseDuration } from '../model/time.ts'

/** A map of keys; one without content counts as `{}`, an unknown key is a mistake. */
export function section<S extends z.ZodRawShape>(shape: S) {
  return emptyAsMap(z.strictObject(shape))
}

export function emptyAsMap<T extends z.ZodType>(schema: T) {
  return z.preprocess((raw) => raw ?? {}, schema)
}

export function list<T extends z.ZodType>(item: T, wanted: string) {
  return z.array(item, { error: `expected a list of ${wanted}` })
}

/** A list that is empty where there is none. */
export function emptyAsList<T extends z.ZodType>(item: T, wanted: string) {
  return z.preprocess((raw) => raw ?? [], list(item, wanted)).prefault([] as never)
}

/** YAML reads an unquoted `42` or `true` as number or boolean. */
const orQuoted =
  (wanted: string) =>
  ({ input }: { readonly input?: unknown }) =>
    typeof input === 'number' || typeof input === 'boolean' ? `expected ${wanted}, in quotes` : `expected ${wanted}`

export function text(wanted: string, pattern = /\S/) {
  return z.string({ error: orQuoted(wanted) }).regex(pattern, { error: `expected ${wanted}` })
}

/** A text in which `problemOf` finds no problem; the problem completes the sentence "`key` is value; …". */
export function textThat(wanted: string, problemOf: (text: string) => string | null) {
  return z.string({ error: orQuoted(wanted) }).superRefine((value, context) => {
    const problem = problemOf(value)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })
}

/** A text of which a predicate holds. */
export function textOf(wanted: string, isValid: (text: string) => boolean) {
  return textThat(wanted, (value) => (isValid(value) ? null : `expected ${wanted}`))
}

/** A duration such as `90s` or `1h30m`. */
export function duration(mostDays: number) {
  return textOf(
    `a duration such as 90s, 15m, 1h30m or 30d, at most ${mostDays}d`,
    (value) => (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= mostDays * dayMs,
  )
}

/** The milliseconds of a duration that was validated. */
export function durationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new Error(`Duration ${text} is not usable`)
  return ms
}

const wantedBase = 'an http(s) URL without user, query or fragment, such as https://api.example.com'
const apiPath = /\/api\/public(\/.*)?$/i

/** The origin and path prefix of a tenant, before `/api/public`; trailing slashes are cut. */
export function baseUrl() {
  return textThat(wantedBase, problemOfBase).transform((text) => baseOf(new URL(text)))
}

const baseOf = (url: URL) => url.origin + url.pathname.replace(/\/+$/, '')

function problemOfBase(text: string): string | null {
  const url = parseHttpUrl(text)
  if (url === undefined) return `expected ${wantedBase}`
  if (hasCredentials(url)) return `it contains credentials; expected ${wantedBase}`
  if (/[?#]/.test(text)) return `it contains a query or a fragment; expected ${wantedBase}`
  const [suffix] = apiPath.exec(baseOf(url)) ?? []
  if (suffix === undefined) return null
  const base = baseOf(url).slice(0, -suffix.length)
  return `remove \`${suffix}\`, which tenantwatch appends: ${insecurity(base, false) ?? `expected "${base}"`}`
}

/** URL of an OAuth 2 token endpoint. */
export function tokenUrl() {
  return textOf('an http(s) URL without user or fragment, such as https://login.example.com/token', (text) => {
    const url = parseHttpUrl(text)
    return url !== undefined && !hasCredentials(url) && url.hash === ''
  }).transform((text) => new URL(text).href)
}

/** URL of a proxy; it may contain credentials, so it is only shown masked. */
export function proxyUrl() {
  return textOf('the http(s) URL of a proxy, such as http://proxy.example.com:3128', (text) => {
    const url = parseHttpUrl(text)
    return url !== undefined && url.pathname === '/' && url.search === '' && url.hash === ''
  })
}

/** URL under which people reach the status page; trailing slashes are cut. */
export function pageUrl() {
  return textOf(
    'the http(s) URL of the page without user, query or fragment, such as https://tw.example.com',
    (text) => {
      const url = parseHttpUrl(text)
      return url !== undefined && !hasCredentials(url) && !/[?#]/.test(text)
    },
  ).transform((text) => baseOf(new URL(text)))
}

/** Why credentials must not be sent to this URL; undefined when they may. */
export function insecurity(text: string, allowInsecureHttp: boolean): string | undefined {
  const url = parseHttpUrl(text)
  if (url?.protocol !== 'http:' || allowInsecureHttp || isLoopback(url.hostname)) return undefined
  const secure = maskUrl(text).replace(/^http:/i, 'https:')
  return `expected "${secure}", or \`api.allowInsecureHttp: true\` in a configuration file to send the token unencrypted`
}

export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

/** Refuses blanks, backslashes and missing slashes, which the URL parser accepts. */
export function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return undefined
  return URL.parse(text) ?? undefined
}

/** Removes user, password, query and fragment; works on text, because an invalid URL may contain a password too. */
export function maskUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1redacted@').replace(/[?#].*$/s, '?redacted')
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** An address to listen on; a port alone (text or number) means the loopback interface. */
export function listen() {
  const wanted =
    'host:port such as 127.0.0.1:9469, [::1]:9469 or :9469 (all interfaces, IPv6 and IPv4), or a port alone (loopback)'
  const address = textOf(wanted, (text) => readListen(text) !== null)
  return z.union([address, z.int().min(0).max(65_535)]).transform(String)
}

export function formatListen({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Where what listens there, perhaps on all interfaces, answers this machine. */
export function localAddress({ host, port }: ListenAddress): string {
  const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return formatListen({ host: wildcards[host] ?? host, port })
}

/** Null for a text that is no address. */
export function readListen(text: string): ListenAddress | null {
  const [, bracketed, plain, digits] = /^(?:(?:\[([\da-f:.]+(?:%\w+)?)\]|([\w.-]*)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return null
  if (bracketed !== undefined && !URL.canParse(`http://[${bracketed.replace(/%.*/, '')}]/`)) return null
  return { host: bracketed ?? (plain === '' ? '::' : (plain ?? '127.0.0.1')), port }
}
