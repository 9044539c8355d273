import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { liveAsReplicas } from './replica-lives.ts'
import type { ReplicaReport } from './simulate-replicas.ts'
import { troubles } from './trouble.ts'
import { replicaViolationClasses } from './violations.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: '8' },
    jobs: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const url = process.env['TEST_POSTGRES_URL']
if (url === undefined) fail('Set TEST_POSTGRES_URL, as .ci/with-postgres does: lives of replicas need a server')
const only = troubles.find((name) => name === values.only) ?? null
if (only === null && values.only !== undefined)
  fail(`Unknown trouble ${values.only}; expected one of ${troubles.join(', ')}`)
const began = performance.now()
/** Number of lives between two progress lines. */
const wordEvery = 10
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.from) + i)
const options = { steps: Number(values.steps), only, url }
const sums = new Map<string, number>()
let longestGapMs = 0

if (process.send !== undefined) {
  for await (const report of liveAsReplicas(JSON.parse(process.env['SEEDS'] ?? '[]'), options)) process.send(report)
  process.disconnect?.()
} else {
  await liveAtOnce(Math.min(Number(values.jobs), seeds.length))
  const width = Math.max(...[...sums.keys()].map(({ length }) => length))
  for (const [name, sum] of sums) console.log(`${name.padEnd(width + 2)}${sum}`)
  console.log(`longest without an owner while a replica was well: ${(longestGapMs / 1000).toFixed(1)} s`)
  console.log(`${seconds()} s`)
}

async function liveAtOnce(jobs: number): Promise<void> {
  for (const kind of replicaViolationClasses) sums.set(kind, 0)
  if (jobs < 2) {
    for await (const report of liveAsReplicas(seeds, options)) print(report)
    return
  }
  const parts = Array.from({ length: jobs }, (_, part) => seeds.filter((_, i) => i % jobs === part))
  await Promise.all(
    parts.map(async (part) => {
      const env = { ...process.env, SEEDS: JSON.stringify(part) }
      const child = fork(import.meta.filename, process.argv.slice(2), { env, serialization: 'advanced' })
      child.on('message', (report) => print(report as ReplicaReport))
      const [[code]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
      if (code !== 0) throw new Error(`A process that runs lives of replicas ended with ${code}`)
    }),
  )
}

function print({
  seed,
  violations,
  troubles: befell,
  faults,
  figures,
  longestGapMs: gapMs,
  trace,
}: ReplicaReport): void {
  longestGapMs = Math.max(longestGapMs, gapMs)
  add({ lives: 1, steps: options.steps, ...figures })
  add(Object.fromEntries([...befell].map(([name, count]) => [`trouble ${name}`, count])))
  add({ 'faults of the API': [...faults.values()].reduce((sum, count) => sum + count, 0) })
  const lives = sums.get('lives') ?? 0
  if (lives % wordEvery === 0) console.log(`${lives} lives, ${seconds()} s`)
  if (seeds.length === 1) console.log(`seed ${seed}: trace ${trace}`)
  if (violations.length === 0) return
  for (const kind of new Set(violations.map((one) => one.kind))) add({ [kind]: 1 })
  for (const { kind, at, what } of violations.slice(0, 5)) console.log(`seed ${seed}, ${at} ms: ${kind}: ${what}`)
  if (violations.length > 5) console.log(`seed ${seed}: ${violations.length - 5} more`)
  const again = `--from ${seed} --seeds 1 --steps ${options.steps}${only === null ? '' : ` --only ${only}`}`
  console.log(`  again: .ci/with-postgres npm run test:replica-seeds -- ${again}`)
}

function seconds(): string {
  return ((performance.now() - began) / 1000).toFixed(0)
}

function add(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count)
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
