import type { Mutant } from './mutants.ts'

const tests = ['test/simulation']

/** Mistakes that the simulation must notice by itself, from what it knows of the tenant, the wire and the mirror's rows. */
export const simulationMutants: readonly Mutant[] = [
  {
    name: 'a finding ends although an input of its check has a data problem',
    file: 'src/evaluate/findings/resolve-finding.ts',
    find: 'if (evaluated === null || !isFreshAndComplete(ending)) return null',
    replace: 'if (evaluated === null) return null',
    tests,
  },
  {
    name: 'a finding ends as fixed although its own record has a data problem',
    file: 'src/evaluate/findings/resolve-finding.ts',
    find: 'if (check.entity.isRecord && (await store.isUncertain',
    replace: "if (check.entity.isRecord && entityId === '' && (await store.isUncertain",
    tests,
  },
  {
    name: 'findings end as fixed when their check breaks',
    file: 'src/evaluate/findings/resolve-finding.ts',
    find: 'if (evaluated === null || !isFreshAndComplete(ending)) return null',
    replace: "if (!isFreshAndComplete(ending)) return null\n  if (evaluated === null) return 'fixed'",
    tests,
  },
  {
    name: 'a finding ends as fixed when its entity cannot be evaluated',
    file: 'src/evaluate/findings/resolve-finding.ts',
    find: "  if (scope === 'not_evaluated') return null\n",
    replace: '',
    tests,
  },
  {
    name: 'a roleId stays known after the role name changed',
    file: 'src/mirror/records/record-tables.ts',
    find: 'const isWorthless = next[dependsOn] !== known[dependsOn]',
    replace: 'const isWorthless = known === null',
    tests,
  },
  {
    name: 'another tenant is not noticed where its token may read no record',
    file: 'src/sync/tenant-guard.ts',
    find: "if (outcome === 'denied' && !denialPasses && tenant().deniedCredential === null)",
    replace: 'if (denialPasses && !denialPasses)',
    tests,
  },
  {
    name: 'a hold of the tenant stays when it is itself again',
    file: 'src/sync/tenant-guard.ts',
    find: 'if (!(await retry(hold, signal))) throw changed(hold)',
    replace: "if (!(await retry(hold, signal)) || hold.cause['check'] === 'page') throw changed(hold)",
    tests,
  },
  {
    name: 'a 401 is read as the empty end of a list in pages',
    file: 'src/api/read-call.ts',
    find: 'if (isRefusal(status)) throw await access.denied(endpoint, credential, status, signal)',
    replace: `if (isRefusal(status)) {
          if (/\\/(users|documents|api-clients)(\\?|$)/.test(call.path)) {
            const end = { data: [], pagination: { hasMore: false, nextCursor: null }, error: null }
            const meta = { requestId: '00000000-0000-4000-8000-000000000000', timestamp: new Date(receivedAt) }
            const text = JSON.stringify({ ...end, meta })
            return { text, absentRequestId: null, receivedAt, identity: access.answered(endpoint, held) }
          }
          throw await access.denied(endpoint, held, status, signal)
        }`,
    tests,
  },
]
