import * as z from 'zod'
import { parseIsoDate } from '../model/time.ts'
import { type Catalogue, checkId } from './catalogue.ts'
import { predicate } from './mistakes.ts'
import type { Named, Probe } from './probes.ts'
import { duration, list, listen, pageUrl, proxyUrl, section, text, textThat, tokenUrl } from './values.ts'

/** A rule of a text that names something outside the configuration. */
export function available(probe: Probe, what: Named) {
  return (name: string, context: { addIssue(issue: ReturnType<typeof predicate>): void }) => {
    const problem = probe(what, name)
    if (problem !== null) context.addIssue(predicate('unavailable', problem))
  }
}

const wantedCommand = 'a list of strings: a program and its arguments, such as [vault, read, -field=token, acme]'
const wantedVariable = 'the name of an environment variable (letters, digits and _, not beginning with a digit)'

function variableAndFile(probe: Probe) {
  return {
    env: text(wantedVariable, /^[A-Za-z_]\w{0,63}$/)
      .superRefine(available(probe, 'variable'))
      .optional()
      .describe('Name of an environment variable'),
    file: text('the path of a file')
      .superRefine(available(probe, 'secretFile'))
      .optional()
      .describe('Path of a file, read again after each change'),
  }
}

function command(probe: Probe) {
  const error = `expected ${wantedCommand}`
  return z
    .array(z.string({ error: 'expected a text' }), { error })
    .min(1, { error })
    .refine(([first]) => first !== '', { error })
    .superRefine(([first = ''], context) => available(probe, 'program')(first, context))
    .optional()
    .describe('Program and arguments; its output is the secret')
}

type OneOf<Shape extends z.ZodRawShape> = {
  readonly [Key in keyof Shape]: { readonly [K in Key]: NonNullable<z.output<Shape[Key]>> }
}[keyof Shape]

/** A map with exactly one of the keys of `shape`. */
export function oneOf<const Shape extends z.ZodRawShape>(shape: Shape, wanted: string): z.ZodType<OneOf<Shape>> {
  const names = Object.keys(shape)
  const anyOf: z.ZodType<Readonly<Record<string, unknown>>> = z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? `expected ${wanted}` : undefined),
  })
  return anyOf
    .superRefine(
      (source, context) => {
        const named = names.filter((name) => source[name] !== undefined)
        if (named.length === 1) return
        const found = named.length === 0 ? 'names none' : `names ${named.length} (${named.join(', ')})`
        context.addIssue(predicate('conflict', `${found}; expected exactly one of ${names.join(', ')}`))
      },
      { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
    )
    .transform((source) => source as unknown as OneOf<Shape>)
}

/** @param what names the secret. */
export function secretSource(probe: Probe, what: string) {
  const wanted = `one of { env: NAME }, { file: PATH }, { command: [PROGRAM, …] }; do not write ${what} itself here`
  return oneOf({ ...variableAndFile(probe), command: command(probe) }, wanted)
}

/** The proxy's URL, or where it is, because it may contain a password. */
export function proxy(probe: Probe) {
  const source = oneOf(variableAndFile(probe), wantedProxy)
  return z.union([proxyUrl(), source], { error: `expected ${wantedProxy}` })
}

const wantedProxy =
  'the http(s) URL of a proxy, such as http://proxy.example.com:3128, or { env: NAME } or { file: PATH } for one with a password'

export function tokenSource(probe: Probe) {
  const clientSecret = '{ env: NAME } or { file: PATH }; do not write the secret itself here'
  const oauth2 = section({
    tokenUrl: tokenUrl(),
    clientId: text('the id of the OAuth 2 client'),
    clientSecret: oneOf(variableAndFile(probe), clientSecret),
    scope: text('the OAuth 2 scopes to request').nullable().default(null),
    parameters: z
      .record(z.string(), text('a text'), {
        error: 'expected a map of texts, such as { audience: https://api.example.com }',
      })
      .default({})
      .describe('Further parameters of the request, such as audience or resource'),
    clientAuth: z
      .enum(['body', 'basic'])
      .default('body')
      .describe('Where clientId and secret are sent: body, or basic for a Basic header'),
  })
    .optional()
    .describe('OAuth 2 client credentials')
  return oneOf(
    { ...variableAndFile(probe), command: command(probe), oauth2 },
    'one of { env: NAME }, { file: PATH }, { command: [PROGRAM, …] }, { oauth2: … }; do not write the token itself here',
  )
}

export function limits() {
  const wantedStatuses = 'document statuses, such as [Completed, Processing]; null may be one'
  return {
    users: section({
      knownStates: list(text('a state of users, such as Deactivated'), 'states of users')
        .max(50)
        .default(['Active', 'Invited'])
        .describe('And the states of users who have accepted or whose account is closed, such as Deactivated'),
    }).prefault({}),
    roles: section({
      knownStates: list(text('a state of roles, such as Inactive'), 'states of roles')
        .max(50)
        .default(['Active', 'Inactive'])
        .describe('All but Active count as not active; users and clients of a role in another state are not evaluated'),
    }).prefault({}),
    userDetails: section({
      perRun: z
        .int()
        .min(0)
        .max(1e6)
        .default(200)
        .describe('Single users read in one run for the ids of their roles; 0 = none'),
      concurrency: z.int().min(1).max(64).default(4).describe('Of these requests'),
    }).prefault({}),
    documents: section({
      overlap: duration(365).default('1h').describe('How far to reach back after the API refused a cursor'),
      knownStatuses: list(text('a text or null').nullable(), wantedStatuses)
        .min(1, { error: `expected a list of ${wantedStatuses}` })
        .default(['Completed', 'Processing'])
        .describe('What uploadStatus may be; null may be among them'),
    }).prefault({}),
    removals: section({
      maxPercent: z.number().min(0).max(100).default(10).describe('Of the live records'),
      maxCount: z.int().min(0).max(1e6).default(5).describe('Records'),
      confirmPerRun: z
        .int()
        .min(1)
        .max(1e6)
        .default(1000)
        .describe('Missing users requested by id in one run, before they count as removed'),
    })
      .prefault({})
      .describe(
        'If more users, documents or API clients go within 24 hours than both limits allow, or more than half of two or more, the engine raises a hold until `tenantwatch accept`',
      ),
    history: section({
      retentionDays: z.int().min(1).max(36_500).default(400).describe('Days that the history is kept'),
    }).prefault({}),
  }
}

const defaultPath = 'data/tenantwatch.db'

export function store(probe: Probe) {
  return section({
    path: text(
      'the path of the database file; the URL of PostgreSQL belongs into store.url',
      /^(?!\s*:memory:)(?!.*:\/\/).*\S/s,
    )
      .optional()
      .meta({ default: defaultPath, description: 'File of the SQLite database' }),
    url: secretSource(probe, 'the URL')
      .nullable()
      .optional()
      .meta({
        description:
          'Instead of a file: a source of the URL postgres://user:password@host:5432/database?sslmode=verify-full',
        'x-examples': [null, { env: 'DATABASE_URL' }],
      }),
  })
    .superRefine(
      ({ path, url }, context) => {
        if ((url ?? null) !== null && path !== undefined)
          context.addIssue(predicate('conflict', 'names path and url; expected exactly one of them'))
      },
      { when: ({ value }) => typeof value === 'object' },
    )
    .transform(({ path, url }) => (url ? { path: null, url } : { path: path ?? defaultPath, url: null }))
}

export function server(probe: Probe) {
  const host = text(
    'a host name such as tenantwatch.example.com, without scheme and port',
    /^[a-z\d_~](?:[\w.~-]*[\w~])?\.?$/i,
  )
  return section({
    listen: listen().prefault('127.0.0.1:9469').describe('":9469" listens on all interfaces'),
    webConfig: text('the path of a web configuration file')
      .superRefine(available(probe, 'webConfig'))
      .nullable()
      .default(null)
      .describe("File in the format of Prometheus' web configuration: TLS, users; see docs/first-week.md#access"),
    exposeDetails: z
      .literal([true, false, 'auto'], { error: 'expected auto, true or false' })
      .default('auto')
      .describe(
        'Names and e-mails on the status page: true, false, or auto: behind auth, or on the loopback without allowedHosts',
      ),
    allowedHosts: list(
      host.transform((name) => name.toLowerCase().replace(/\.$/, '')),
      'host names such as [tenantwatch.example.com]',
    )
      .prefault([])
      .describe('Host names under which page and JSON are served, beside localhost and IP addresses'),
    externalUrl: pageUrl().nullable().prefault(null).describe('Address of the status page for links in notifications'),
  })
}

export function ownChecks() {
  return section({
    folder: text('the path of a folder')
      .nullable()
      .default(null)
      .describe('One check for each file `*.sql`, such as config/own-checks'),
    timeoutSeconds: z.number().positive().max(300).default(10).describe('For one query over one tenant'),
    maxRows: z.int().min(1).max(100_000).default(10_000).describe('Of one query, less those that are `ok`'),
  })
}

export const waiverTerms = {
  reason: z.string({ error: 'expected the reason in 20 characters or more' }).trim().min(20, {
    error: 'expected the reason in 20 characters or more',
  }),
  owner: text('the person or team that is responsible'),
  ticket: text('the address or number of a ticket'),
  expires: textThat('a date as YYYY-MM-DD, the last valid day', (day) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return 'expected a date as YYYY-MM-DD, the last valid day'
    return parseIsoDate(day) === undefined ? 'there is no such day; expected a date as YYYY-MM-DD' : null
  }),
}

const entityWanted = 'the id of the entity, or "*" for all'

export function waiver(catalogue: Catalogue) {
  return z.strictObject({
    id: text('a unique id of the waiver, of at most 100 characters without @', /^(?!.*@)\S(.{0,98}\S)?$/),
    check: checkId(catalogue),
    entity: z.union([text(entityWanted), z.int({ error: `expected ${entityWanted}` })]).transform(String),
    tenant: text('the name of a tenant'),
    reason: waiverTerms.reason.describe('20 characters or more'),
    ticket: waiverTerms.ticket.optional().describe('Optional: address or number of a ticket; shown with the reason'),
    owner: waiverTerms.owner,
    expires: waiverTerms.expires.describe('To the end of that day, UTC'),
  })
}
