import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { identityOf } from '../evaluate/findings/identity.ts'
import { clientRoleNames, clientTitle, unevaluatedClients } from './support/clients.ts'
import { factsOf, mapBatches, textOf } from './support/records.ts'
import { loadRoles } from './support/roles.ts'
import { listed, quoted } from './support/words.ts'

const options = z.strictObject({
  /** By clientId: the only codes that client may have. */
  allowed: z.record(z.string().min(1), z.array(z.string().min(1))).default({}),
  /** What no code of any other client may end in. */
  forbiddenSuffixes: z.array(z.string().min(1)).default(['_Create']),
  /** What every code of the daemon's own client (`ownClientId`) ends in, unless it is in the allow-list: it only reads. */
  ownSuffixes: z.array(z.string().min(1)).default(['_Read']),
})

type Options = z.output<typeof options>

export const apiClientLeastPrivilege = defineCheck({
  id: 'api-client-least-privilege',
  title: 'No API client may do more than it is allowed to',
  description:
    "No role of the client's role name grants a code outside the client's allow-list; without a list, a code that ends in _Create, and to the client this daemon itself is (`ownClientId`) one that does not end in _Read.",
  risk: 'Whoever gets hold of the secret can create accounts or reach data that the integration does not need.',
  remediation: 'Give the client a role with only the codes it needs, or add the codes to its allow-list.',
  alert: { name: 'ClientOverprivileged', says: 'API clients that may do more than they are allowed to' },
  severities: ['high'],
  evaluates: 'api-clients',
  needs: ['roles'],
  entity: { type: 'api-client', isRecord: true, hasPlainIds: true },
  timeBased: false,
  material: ['roleName', 'excess'],
  options,
  ruleContext: ({ ownClientId }) => ownClientId,
  async load(reader, _options, _now, { ownClientId }) {
    const roles = await loadRoles(reader)
    const { known, missing, unnamed } = await clientRoleNames(reader, roles)
    const { unevaluated, isUnevaluated } = await unevaluatedClients(reader, [...missing.names, ...unnamed.names])
    return {
      population: known.clients + missing.clients + unnamed.clients,
      notEvaluated: missing.clients + unnamed.clients,
      unevaluated,
      candidates: mapBatches(
        reader.select('api-clients', { all: [{ field: 'roleName', in: known.names }] }),
        (client) => ({
          client,
          isOwn: client.key.toLowerCase() === ownClientId,
          roles: roles.byName.get(textOf(client, 'roleName') ?? '') ?? [],
        }),
      ),
      scope: async (id) => ((await isUnevaluated(id)) ? 'not_evaluated' : 'evaluated'),
    }
  },
  evaluate({ client, isOwn, roles }, options) {
    const { isExcess, limit } = limitOf(client.key, isOwn, options)
    const guilty = roles.filter((role) => role.codes.some(isExcess))
    if (guilty.length === 0) return null
    const excess = [...new Set(guilty.flatMap((role) => role.codes.filter(isExcess)))].sort()
    const role = quoted(textOf(client, 'roleName') ?? '')
    const than = isOwn
      ? ', the client of this watch itself, may do more than read'
      : ' may do more than it is allowed to'
    return {
      entityId: client.key,
      severity: 'high',
      message: `${clientTitle(client)}${than}: its role ${role} grants ${listed(excess)}.`,
      evidence: {
        ...factsOf(client, ['clientId', 'name', 'roleName']),
        ...identityOf(client),
        excess,
        ...limit,
        roles: guilty.map(({ facts }) => facts),
      },
    }
  },
})

/** What a client may not have, and by what that is decided. */
function limitOf(clientId: string, isOwn: boolean, { allowed, forbiddenSuffixes, ownSuffixes }: Options) {
  const list = allowListOf(allowed, clientId)
  const endsIn = (code: string, suffixes: readonly string[]) => suffixes.some((suffix) => code.endsWith(suffix))
  if (list !== null) return { isExcess: (code: string) => !list.includes(code), limit: { allowed: list } }
  if (isOwn) return { isExcess: (code: string) => !endsIn(code, ownSuffixes), limit: { ownSuffixes } }
  return { isExcess: (code: string) => endsIn(code, forbiddenSuffixes), limit: { forbiddenSuffixes } }
}

/** The codes a client may have by the allow-list, whose client ids are compared without letter case; null = not listed. */
function allowListOf(allowed: Readonly<Record<string, readonly string[]>>, clientId: string): readonly string[] | null {
  const own = Object.entries(allowed).filter(([id]) => id.toLowerCase() === clientId.toLowerCase())
  return own.length === 0 ? null : own.flatMap(([, codes]) => codes)
}
