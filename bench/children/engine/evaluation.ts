import { writeFileSync } from 'node:fs'
import type { Session } from '../../../src/daemon/session.ts'
import { syncRound } from '../../../src/daemon/sync-round.ts'
import { type Cost, timed } from '../../support/measure.ts'
import { median } from '../../support/statistics.ts'
import { succeeded } from './full-sync.ts'

/** Evaluates every check of every tenant; the first time is told apart, for it opens or closes what changed. */
export async function evaluate(session: Session, { times }: { times: number }) {
  const costs: Cost[] = []
  for (let i = 0; i < times; i++) costs.push(await timed(() => session.evaluate()))
  const postures = await session.views.posture()
  const open = postures.flatMap(({ checks }) => checks.flatMap((check) => Object.values(check.open)))
  const unknown = postures.flatMap(({ checks }) => checks.filter(({ status }) => status === 'unknown'))
  return {
    ...middle(costs),
    facts: {
      firstMs: costs[0]?.wallMs ?? 0,
      open: open.reduce((sum, count) => sum + count, 0),
      unknown: unknown.length,
    },
  }
}

/** Renders the exposition; the first time is left out, because series are created at the start of the process. */
export async function scrape(session: Session, { times, saveTo }: { times: number; saveTo?: string }) {
  const { value: first, ...firstCost } = await timed(() => session.metrics.render())
  const costs: Cost[] = []
  for (let i = 0; i < times; i++) costs.push(await timed(() => session.metrics.render()))
  const body = Buffer.concat(first.body)
  if (saveTo !== undefined) writeFileSync(saveTo, body)
  const lines = body.toString().split('\n')
  const series = lines.filter((line) => line !== '' && !line.startsWith('#')).length
  const ofTenant = lines.filter((line) => line.includes('{tenant="')).length / session.tenants.length
  return { ...middle(costs), facts: { series, ofTenant, firstMs: firstCost.wallMs, bytes: body.byteLength } }
}

/** What `sync` does once. */
export async function round(session: Session, { full }: { full: boolean }) {
  const never = new AbortController().signal
  const { value: results, ...cost } = await timed(() => syncRound(session, { full }, never))
  for (const result of results) succeeded(result)
  return { ...cost, facts: { runs: results.length } }
}

function middle(costs: readonly Cost[]): Cost {
  return { wallMs: median(costs.map(({ wallMs }) => wallMs)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) }
}
