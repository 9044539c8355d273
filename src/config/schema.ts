import * as z from 'zod'
import { isGuid } from '../model/guid.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import type { ResourceName } from '../model/resource-names.ts'
import { severities } from '../model/severity.ts'
import { canCarryToken } from '../model/token-header.ts'
import { resources } from '../resources/index.ts'
import type { Catalogue } from './catalogue.ts'
import { cron } from './cron.ts'
import { crossRules } from './cross-rules.ts'
import { notification, notificationExample } from './notifications.ts'
import { owners, portalUrl } from './owners.ts'
import type { Probe } from './probes.ts'
import { available, limits, ownChecks, proxy, server, store, tokenSource, waiver } from './sections.ts'
import { baseUrl, duration, emptyAsList, emptyAsMap, section, text, textOf } from './values.ts'

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const tokenExamples = [
  { env: 'ACME_TOKEN' },
  { file: '/run/secrets/acme-token' },
  { command: ['vault', 'read', '-field=token', 'acme'] },
  {
    oauth2: {
      tokenUrl: 'https://login.example.com/oauth2/token',
      clientId: 'tenantwatch',
      clientSecret: { env: 'ACME_CLIENT_SECRET' },
    },
  },
]

const checkExamples = [
  { 'document-current': { enabled: false }, 'user-invitation-accepted': { severity: 'low', days: 30 } },
  { 'user-mfa-enrolled': { enrolledWhen: 'mfaStatus and not mfaAction' } },
  { 'document-required-present': { requirements: [{ id: 'soc2', pattern: 'SOC2*.pdf', maxAgeDays: 365 }] } },
]

const waiverExample = {
  id: 'W-1',
  check: 'user-mfa-enrolled',
  entity: '42',
  tenant: 'acme',
  reason: 'Break-glass account, kept in the safe',
  owner: 'security',
  expires: '2030-06-30',
}

const ownersExample = [
  { name: 'platform', client: 'deploy-*', role: 'Deploy*' },
  { name: 'hr', tenant: 'acme', check: 'user-*' },
]

const portalExample = {
  user: 'https://portal.example.com/users/{userId}',
  client: 'https://portal.example.com/api-clients/{clientId}',
}

/** The configuration as it is written, with the defaults. */
export type Written = z.output<ReturnType<typeof configurationSchema>>
export type WrittenTenant = Written['tenants'][number]

/**
 * The one description of the configuration: types, defaults, mistakes, JSON Schema, the example and the table of keys
 * (docs/configuration.md) come from it. A section of a tenant replaces single keys of the general one; the caller merges.
 */
export function configurationSchema(catalogue: Catalogue, probe: Probe = () => null, cronSeconds = false) {
  const own = overridableSections(catalogue, probe, cronSeconds)
  const tenant = z.strictObject({
    name: text('a name of a-z, 0-9 and "-", at most 63 characters', /^[a-z0-9-]{1,63}$/).meta({
      description: 'Label `tenant` of every metric: a-z, 0-9 and "-"',
      'x-examples': ['acme'],
    }),
    baseUrl: baseUrl().meta({
      description: 'Without /api/public; https, except for this machine itself',
      'x-examples': ['https://api.example.com'],
    }),
    auth: section({
      header: headerName().default('Authorization').describe('Request header that carries the token'),
      scheme: text('one word such as Bearer, or "" to send the bare token', /^[\w!#$%&'*+.^`|~-]*$/)
        .default('Bearer')
        .describe('Word before the token; "" sends the bare token'),
      token: tokenSource(probe).meta({
        description: 'Exactly one source; the token itself is never written here',
        'x-examples': tokenExamples,
      }),
    }).prefault({} as never),
    ownClientId: clientId()
      .nullable()
      .prefault(null)
      .describe('clientId of the API client whose token this is: a list without it raises a hold'),
    api: own.api.optional(),
    resources: own.resources.optional(),
    schedule: section(own.schedule).optional(),
    freshness: own.freshness.optional(),
    checks: own.checks.optional(),
    portalUrl: own.portalUrl.optional(),
  })
  const atLeastOne = 'expected a list of at least one tenant'
  return z
    .strictObject({
      tenants: z
        .array(tenant, { error: atLeastOne })
        .min(1, { error: atLeastOne })
        .describe(
          'The API tenants. The sections api, resources, schedule (without evaluate and timezone), freshness, checks and portalUrl may also be set in a tenant; each key then replaces the general one for this tenant alone',
        ),
      api: own.api.prefault({}).describe('How the API is called'),
      resources: own.resources
        .prefault({})
        .describe('A resource that is switched off is not requested; every check that needs it is not_applicable'),
      schedule: section({
        ...own.schedule,
        evaluate: cron(cronSeconds).default('* * * * *').describe('Evaluates again what depends on time alone'),
        timezone: timezone().default('UTC').describe('Time zone of the schedules'),
      })
        .prefault({})
        .describe('Five cron fields in quotes; day of month and weekday must both fit'),
      freshness: own.freshness.prefault({}).meta({
        description:
          'How old a complete full sync may be before checks over it are unknown; by default three times the longer of its interval and its last duration (of which at most 24 hours count), at least 15 minutes',
        'x-examples': [{ users: '3h', documents: '1d' }],
      }),
      checks: own.checks.prefault({}).meta({
        description:
          'By id, see docs/checks.md: `enabled`, `severity` (info, low, medium, high, critical) and the options of the check',
        'x-examples': checkExamples,
      }),
      ...limits(),
      store: store(probe).prefault({}).describe('The mirror: a file, or a database of PostgreSQL 15 or later'),
      server: server(probe).prefault({}).describe('Page, metrics and JSON'),
      ownChecks: ownChecks().prefault({}).describe('Checks of your own in SQL, see docs/own-checks.md'),
      waivers: emptyAsList(waiver(catalogue), 'waivers').meta({
        description:
          'Accepted findings; every key but ticket is mandatory. Further ones are in files of waivers.d beside this file, see docs/waivers.md',
        'x-examples': [[waiverExample]],
      }),
      owners: owners(catalogue).meta({
        description:
          'Who looks after findings and API clients: the first entry that matches. Keys other than name are patterns with * and ?, in any letter case; see docs/daily-work.md#owners-and-links',
        'x-examples': [ownersExample],
      }),
      portalUrl: own.portalUrl.prefault({}).meta({
        description: 'Links from findings into the portal, with https; null = none',
        'x-examples': [portalExample],
      }),
      notifications: emptyAsList(notification(catalogue, probe), 'targets').meta({
        description: 'Messages about what changes, see docs/notifications.md',
        'x-examples': [[notificationExample]],
      }),
      log: section({ level: z.enum(levels).default('info').describe(levels.join(', ')) }).prefault({}),
    })
    .superRefine(crossRules, { when: () => true })
}

interface Modes {
  readonly full: string
  readonly incremental?: string | undefined
}

/** What a tenant may set for itself. */
function overridableSections({ checks, incomplete = false }: Catalogue, probe: Probe, cronSeconds: boolean) {
  const eachResource = <T>(of: (resource: ResourceDefinition) => T) =>
    Object.fromEntries(resources.map((resource) => [resource.name, of(resource)])) as Record<ResourceName, T>
  const common = { enabled: z.boolean().default(true), severity: z.enum(severities).nullish() }
  const known = Object.fromEntries(
    checks.map(({ id, options }) => [id, emptyAsMap(options.safeExtend(common)).prefault({})]),
  )
  return {
    api: api(probe),
    resources: section(
      eachResource(({ permission }) =>
        section({ enabled: z.boolean().default(true).describe(`Needs ${permission}`) }).prefault({}),
      ),
    ),
    schedule: eachResource(({ schedule }) => {
      const full = cron(cronSeconds).default(schedule.full ?? '')
      const { incremental } = schedule
      const modes = incremental === undefined ? { full } : { incremental: cron(cronSeconds).default(incremental), full }
      return (section(modes) as z.ZodType<Modes>).prefault({} as never)
    }),
    freshness: section(eachResource(() => duration(3650).optional())),
    portalUrl: portalUrl(),
    checks: emptyAsMap(incomplete ? z.object(known) : z.strictObject(known)),
  }
}

function api(probe: Probe) {
  const parameter = text(
    'the name of a query parameter other than cursor and updatedAfter',
    /^(?!(?:cursor|updatedAfter)$)[\w.~[\]-]{1,64}$/i,
  ).nullable()
  const feeds = resources.filter(({ kind }) => kind === 'feed').map(({ name }) => [name, parameter.default(null)])
  const byFeed: z.ZodType<Partial<Record<ResourceName, string | null>>> = z.strictObject(Object.fromEntries(feeds))
  return section({
    pageSizeParameter: z
      .union([parameter, byFeed])
      .default(null)
      .describe(
        'Query parameter for the page size of users and documents; null sends none. Where the two differ: { users: limit, documents: pageSize }',
      ),
    pageSize: z.int().min(1).max(10_000).default(200).describe('Documents take at most 200'),
    timeoutSeconds: z.number().positive().max(600).default(30).describe('For a whole request'),
    maxPages: z.int().min(1).max(1e9).default(100_000).describe('More pages than this end a run'),
    maxBodyMiB: z.number().positive().max(512).default(8).describe('Of one answer, decompressed'),
    requestsPerSecond: z.number().min(0).max(10_000).default(10).describe('0 = no limit'),
    allowInsecureHttp: z.boolean().default(false).describe('true sends the token unencrypted'),
    proxy: proxy(probe).nullable().prefault(null).meta({
      description:
        'Such as http://proxy.example.com:3128, or { env: NAME } or { file: PATH } for a URL with a password; null = HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment',
    }),
    caFile: text('the path of a file with PEM certificates')
      .superRefine(available(probe, 'authorities'))
      .nullable()
      .default(null)
      .describe('PEM file of certificate authorities besides the default ones'),
  })
}

function headerName() {
  return textOf(
    'the name of a header that can carry the token, such as Authorization or X-Api-Key; Host, User-Agent and headers of proxies or of the body are not allowed',
    canCarryToken,
  )
}

/** Lower-cased, because the API does not define the case of GUIDs. */
function clientId() {
  const wanted = 'the clientId of an API client, such as 00000000-0000-0000-0000-000000000000'
  return textOf(wanted, isGuid).transform((id) => id.toLowerCase())
}

function timezone() {
  return textOf('a time zone such as UTC or Europe/Berlin', isTimezone)
}

function isTimezone(name: string): boolean {
  // Avoids loading the time zone tables, which stay in memory, for the default.
  if (name === 'UTC') return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
