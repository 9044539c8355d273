import { type Mutant, mutantsIn } from './mutants.ts'

const tests = ['test/simulation']

/** Mistakes that the simulation must notice by itself, from what it knows of the tenant, the wire and the mirror's rows. */
export const simulationMutants: readonly Mutant[] = [
  ...mutantsIn('src/evaluate/findings/resolve-finding.ts', tests, {
    'a finding ends although an input of its check has a data problem': [
      'if (evaluated === null || !isFreshAndComplete(ending)) return null',
      'if (evaluated === null) return null',
    ],
    'a finding ends as fixed although its own record has a data problem': [
      'if (check.entity.isRecord && (await store.isUncertain',
      "if (check.entity.isRecord && entityId === '' && (await store.isUncertain",
    ],
    'findings end as fixed when their check breaks': [
      'if (evaluated === null || !isFreshAndComplete(ending)) return null',
      "if (!isFreshAndComplete(ending)) return null\n  if (evaluated === null) return 'fixed'",
    ],
    'a finding ends as fixed when its entity cannot be evaluated': [
      "  if (scope === 'not_evaluated') return null\n",
      '',
    ],
  }),
  ...mutantsIn('src/store/records/record-tables.ts', tests, {
    'a roleId stays known after the role name changed': [
      'const isWorthless = next[dependsOn] !== known[dependsOn]',
      'const isWorthless = known === null',
    ],
  }),
  ...mutantsIn('src/sync/tenant-guard.ts', tests, {
    'another tenant is not noticed where its token may read no record': [
      "if (outcome === 'denied' && !denialPasses && tenant().deniedCredential === null)",
      'if (denialPasses && !denialPasses)',
    ],
    'a hold of the tenant stays when it is itself again': [
      'if (!(await retry(hold, signal))) throw changed(hold)',
      "if (!(await retry(hold, signal)) || hold.cause.check === 'page') throw changed(hold)",
    ],
  }),
  ...mutantsIn('src/api/read-call.ts', tests, {
    'a 401 is read as the empty end of a list in pages': [
      'if (isRefusal(status)) throw await access.denied(endpoint, credential, status, signal)',
      `if (isRefusal(status)) {
          if (/\\/(users|documents|api-clients)(\\?|$)/.test(call.path)) {
            const end = { data: [], pagination: { hasMore: false, nextCursor: null }, error: null }
            const meta = { requestId: '00000000-0000-4000-8000-000000000000', timestamp: new Date(receivedAt) }
            const text = JSON.stringify({ ...end, meta })
            return { text, absentRequestId: null, receivedAt, identity: access.answered(endpoint, held) }
          }
          throw await access.denied(endpoint, held, status, signal)
        }`,
    ],
  }),
]
