import { expect, it } from 'vitest'
import { liveAsReplicas } from '../../simulation/replicas/replica-lives.ts'

/** Conflicts of transactions need several connections. */
const url = process.env['TEST_POSTGRES_URL']

/** One small life, because every change of the code runs it; `npm run test:replica-seeds` runs many, and larger ones. */
const seeds = [3]
const small = { steps: 2, tenants: 2 }

it.runIf(url !== undefined)(
  'a life of replicas shows no write of a former owner, no tenant with two owners or none, nothing lost',
  async () => {
    const broken: string[] = []
    for await (const { seed, violations, figures } of liveAsReplicas(seeds, { ...small, url: url ?? '', only: null })) {
      broken.push(...violations.map(({ kind, at, what }) => `seed ${seed}, ${at} ms: ${kind}: ${what}`))
      expect(figures.passes).toBeGreaterThan(0)
    }
    expect(broken.join('\n')).toBe('')
  },
)
