import * as z from 'zod'
import { ok } from '../evaluate/check.ts'
import { guidKey, isAnyGuid } from '../model/guid.ts'
import { memoizeWeakly } from '../model/memoize.ts'
import { dayMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { identifiedFacts, quoted, textOf } from './support/records.ts'
import { clientTitle, excessOf, type MirroredRole, roleNamesOf, rolesIn, rolesOfClient } from './support/roles.ts'

const clientId = z.string().refine(isAnyGuid, { error: 'expected the clientId of an API client' })
const suffix = z.string().regex(/^[^*^$\s]+$/, { error: 'expected the end of a code, without a pattern such as *' })

const options = z.strictObject({
  /** Allowed codes by clientId. */
  allowed: z
    .record(clientId, z.array(z.string().min(1)))
    .refine((lists) => new Set(Object.keys(lists).map(guidKey)).size === Object.keys(lists).length, {
      error: 'expected each client once, in one notation',
    })
    .default({}),
  /** Suffixes of codes that no other client may have. */
  forbiddenSuffixes: z.array(suffix).default(['_Create']),
  /** Suffixes that every code of tenantwatch's own client (`ownClientId`) must have if the client is not in `allowed`. */
  ownSuffixes: z.array(suffix).default(['_Read']),
})

export type LeastPrivilegeOptions = z.output<typeof options>

export const apiClientLeastPrivilege = defineCheck({
  id: 'api-client-least-privilege',
  title: 'No API client has excess permissions',
  failing: ['API client has excess permissions', 'API clients have excess permissions'],
  description:
    "No role with the client's role name grants a code outside the client's entry in `allowed`, which has lists of codes by clientId, such as `{ 5d0c2a4e-9f31-4c8b-a7e6-1b2f3c4d5e6f: [Api_Users_Read] }`. Without an entry, no code ends in one of `forbiddenSuffixes` (_Create by default), and every code of tenantwatch's own client (`ownClientId`) ends in one of `ownSuffixes` (_Read by default).",
  risk: 'A leaked secret gives access to accounts and data that the integration does not need.',
  remediation: 'Give the client a role with only the codes it needs, or add the codes to its allow-list.',
  alert: 'ClientOverprivileged',
  frameworks: 'soc2 CC6.1 CC6.3, iso27001 A.5.15 A.5.18 A.8.2 A.8.3, nist80053 AC-6, pcidss 7.2.5, cis 6.8',
  severities: ['high'],
  evaluates: 'api-clients',
  needs: ['roles'],
  notEvaluatedWhere:
    'the role name is missing or belongs to no role, or client and roles were not read together since one of them changed',
  comparesReads: () => dayMs,
  material: ['roleName', 'excess'],
  options,
  ruleContext: ({ ownClientId }) => ownClientId,
  begin(options, context) {
    const { needed, ownClientId } = context
    const roles = rolesIn(needed('roles'))
    const { readsHistoryOf, meansAnother } = roleNamesOf(context, 'api-clients')
    const isForbidden = endsInOne(options.forbiddenSuffixes)
    const forbiddenIn = memoizeWeakly((found: readonly MirroredRole[]) => excessOf(found, isForbidden))
    return {
      readsHistoryOf,
      record(client, history) {
        const found = rolesOfClient(client, roles)
        if (found === null || found.length === 0 || meansAnother(client, history)) return { kind: 'not_evaluated' }
        const isOwn = client.key.toLowerCase() === ownClientId
        const limit = limitOf(client.key, isOwn, options)
        const excess = limit.isExcess === null ? forbiddenIn(found) : excessOf(found, limit.isExcess)
        if (excess.codes === '') return ok
        const role = quoted(textOf(client, 'roleName') ?? '')
        const excessive = isOwn
          ? ", tenantwatch's own client, has more than read permissions"
          : ' has excess permissions'
        return {
          kind: 'fails',
          severity: 'high',
          message: `${clientTitle(client)}${excessive}: its role ${role} grants ${excess.codes}.`,
          evidence: {
            ...identifiedFacts(client, ['clientId', 'name', 'roleName']),
            ...excess.evidence,
            ...limit.stated,
          },
        }
      },
    }
  },
})

/** Decides which codes exceed the limit of a client (null = only forbidden suffixes do), and states that limit. */
function limitOf(clientId: string, isOwn: boolean, { allowed, forbiddenSuffixes, ownSuffixes }: LeastPrivilegeOptions) {
  // Configured ids are GUIDs in any notation.
  const [, list] = Object.entries(allowed).find(([id]) => guidKey(id) === guidKey(clientId)) ?? []
  if (list !== undefined) return { isExcess: (code: string) => !list.includes(code), stated: { allowed: list } }
  if (!isOwn) return { isExcess: null, stated: { forbiddenSuffixes } }
  const isOwnCode = endsInOne(ownSuffixes)
  return { isExcess: (code: string) => !isOwnCode(code), stated: { ownSuffixes } }
}

/** Codes are compared without letter case and outer space. */
export function endsInOne(suffixes: readonly string[]): (code: string) => boolean {
  const wanted = suffixes.map(plain)
  return (code) => wanted.some((suffix) => plain(code).endsWith(suffix))
}

const plain = (code: string) => code.trim().toLowerCase()
