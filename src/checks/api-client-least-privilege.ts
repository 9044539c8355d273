import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { clientRoleNames, clientTitle } from './support/clients.ts'
import { amongFew, factsOf, mapBatches, textOf } from './support/records.ts'
import { loadRoles } from './support/roles.ts'
import { listed, quoted } from './support/words.ts'

const options = z.strictObject({
  /** By clientId: the only codes that client may have. */
  allowed: z.record(z.string().min(1), z.array(z.string().min(1))).default({}),
  /** What no code of any other client may end in. */
  forbiddenSuffixes: z.array(z.string().min(1)).default(['_Create']),
})

export const apiClientLeastPrivilege = defineCheck({
  id: 'api-client-least-privilege',
  title: 'No API client may do more than it is allowed to',
  description:
    "No role of the client's role name grants a code outside the client's allow-list; without a list, a code that ends in _Create.",
  risk: 'Whoever gets hold of the secret can create accounts or reach data that the integration does not need.',
  remediation: 'Give the client a role with only the codes it needs, or add the codes to its allow-list.',
  severities: ['high'],
  judges: 'api-clients',
  needs: ['roles'],
  entity: { type: 'api-client', isRecord: true },
  timeBased: false,
  options,
  async load(reader) {
    const roles = await loadRoles(reader)
    const { known, missing, unnamed } = await clientRoleNames(reader, roles)
    const unjudged = [...missing.names, ...unnamed.names]
    const isUnjudged = amongFew(reader, 'api-clients', { anyOf: unjudged.map((is) => [{ field: 'roleName', is }]) })
    return {
      population: known.clients + missing.clients + unnamed.clients,
      notJudged: missing.clients + unnamed.clients,
      candidates: mapBatches(
        reader.select('api-clients', { all: [{ field: 'roleName', in: known.names }] }),
        (client) => ({ client, roles: roles.byName.get(textOf(client, 'roleName') ?? '') ?? [] }),
      ),
      scope: async (id) => (unjudged.length > 0 && (await isUnjudged(id)) ? 'not_judged' : 'judged'),
    }
  },
  evaluate({ client, roles }, { allowed, forbiddenSuffixes }) {
    const list = allowListOf(allowed, client.key)
    const isExcess = (code: string) =>
      list === null ? forbiddenSuffixes.some((suffix) => code.endsWith(suffix)) : !list.includes(code)
    const guilty = roles.filter((role) => role.codes.some(isExcess))
    if (guilty.length === 0) return null
    const excess = [...new Set(guilty.flatMap((role) => role.codes.filter(isExcess)))].sort()
    const role = quoted(textOf(client, 'roleName') ?? '')
    return {
      entityId: client.key,
      severity: 'high',
      message: `${clientTitle(client)} may do more than it is allowed to: its role ${role} grants ${listed(excess)}.`,
      evidence: {
        ...factsOf(client, ['clientId', 'name', 'roleName']),
        excess,
        ...(list === null ? { forbiddenSuffixes } : { allowed: list }),
        roles: guilty.map(({ facts }) => facts),
      },
    }
  },
})

/** The codes a client may have by the allow-list, whose client ids are compared without letter case; null = not listed. */
function allowListOf(allowed: Readonly<Record<string, readonly string[]>>, clientId: string): readonly string[] | null {
  const own = Object.entries(allowed).filter(([id]) => id.toLowerCase() === clientId.toLowerCase())
  return own.length === 0 ? null : own.flatMap(([, codes]) => codes)
}
