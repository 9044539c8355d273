import { describePosture, describeUnknown } from '../model/describe.ts'
import type { TenantPosture } from '../model/posture.ts'
import { isAtLeast, severities } from '../model/severity.ts'
import { findingUrl, type Message, messageOf, type News, noFinding, noNews, withItem } from './message.ts'
import { holdItem, isChosen, type NewsRequest, textOf } from './read-news.ts'

/** The one message about the first sync of a tenant: its state, and the open findings of the highest severities. */
export async function summaryOf(request: NewsRequest, posture: TenantPosture, eventId: number): Promise<Message> {
  const { tenant, target, views } = request
  const of = { eventId, at: posture.at }
  let news: News = noNews
  if (target.on.includes('hold'))
    for (const hold of posture.holds) news = withItem(news, holdItem({ ...of, label: 'on hold' }, hold))
  const unknown = target.on.includes('unknown') ? describeUnknown(withoutProblems(posture)) : null
  if (unknown !== null)
    news = withItem(news, { ...of, ...noFinding, kind: 'unknown', label: 'unknown', text: unknown.text })
  const wanted = severities.filter((one) => isAtLeast(one, target.minSeverity))
  const query = { tenant, severities: wanted, withPersonal: target.exposeDetails }
  if (target.on.includes('opened'))
    for await (const finding of views.findings({ ...query, order: 'severity' })) {
      const { check, fingerprint, severity, owner } = finding
      if (!isChosen(target.checks, check) || !isChosen(target.owners, owner)) continue
      const about = { severity, check, fingerprint, url: findingUrl(request, fingerprint) ?? finding.link }
      news = withItem(news, { ...of, ...about, kind: 'opened', label: 'open', text: textOf(finding, target) })
    }
  // After a crash, further events may have followed.
  return { ...messageOf(news, request, `first sync; ${describePosture(posture).text}`), id: `${tenant}/0` }
}

/** Problems of own checks may quote a person or a file. */
function withoutProblems({ checks, ...posture }: TenantPosture): TenantPosture {
  return { ...posture, checks: checks.map(({ problem: _, ...check }) => check) }
}
