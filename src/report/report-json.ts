import { escapeInJson } from '../model/text/printable.ts'
import { toIso } from '../model/time.ts'
import type { Report, TenantReport } from './build-report.ts'

export async function* reportJson(report: Report): AsyncIterable<string> {
  const { at, from, version, historyBegins, configuredSince, configurationDigest, notes, tenants } = report
  const configuration = { since: configuredSince, digest: configurationDigest }
  const period = from === null ? {} : { from: toIso(from) }
  yield `${opened({ asOf: toIso(at), ...period, version, historyBegins, configuration, notes })},\n  "tenants": [`
  for (const [i, tenant] of tenants.entries()) {
    yield i === 0 ? '\n' : ',\n'
    yield* tenantJson(tenant)
  }
  yield '\n  ]\n}\n'
}

async function* tenantJson({ findings, period, trend: _, ...tenant }: TenantReport): AsyncIterable<string> {
  yield `${opened({ ...tenant, ...(period && { period }) })},\n  "findings": [`
  let separator = '\n'
  for await (const finding of findings()) {
    yield `${separator}${escapeInJson(JSON.stringify(finding))}`
    separator = ',\n'
  }
  yield '\n  ]\n}'
}

/** An object without its closing brace. */
export function opened(value: object): string {
  return escapeInJson(JSON.stringify(value, null, 2)).slice(0, -'\n}'.length)
}
