import * as z from 'zod'
import { checksOf } from '../../checks/index.ts'
import { shownPostures } from '../../model/posture-state.ts'
import { resourceNames } from '../../model/resource-names.ts'
import { severities } from '../../model/severity.ts'
import { objectOf, type Rows } from '../../model/text/formats.ts'
import { toIso } from '../../model/time.ts'
import type { TenantReport } from '../../report/build-report.ts'
import { shownFindings } from '../../web/shown-findings.ts'
import { listExpiries } from '../expiring.ts'
import { explain } from '../explain.ts'
import { changeNotes, findingQuery, notesOf, within } from '../findings.ts'
import { listChanges } from '../history.ts'
import { makeReport } from '../report.ts'
import type { OpenMirror } from '../support/configuration.ts'
import { readMoment } from '../support/options.ts'
import { hideChange, hideExpiry, hideExplanation, hideTenant } from './hide.ts'

interface Tool<Parameters extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string
  readonly summary: string
  readonly parameters: Parameters
  /** With `details`, names of persons, e-mails and file names. @throws UsageError on names and times that do not exist. */
  answer(opened: OpenMirror, asked: z.output<z.ZodObject<Parameters>>, details: boolean): Promise<unknown>
}

/** Lets the compiler know the parameters inside `answer`. */
const tool = <Parameters extends z.ZodRawShape>(data: Tool<Parameters>): Tool => data

const text = (description: string) => z.string().max(200).describe(description)
const time = (what: string) => text(`${what}: 2026-03-31, 2026-03-31T18:00:00Z, or 30d ago`).exactOptional()
const tenant = text('Name of a configured tenant; all if absent').exactOptional()

export const tools: readonly Tool[] = [
  tool({
    name: 'findings',
    summary: 'Findings: which entities fail which checks now, highest severity first; open ones unless all is set',
    parameters: {
      tenant,
      check: text('Only findings of this check').exactOptional(),
      minSeverity: z.enum(severities).exactOptional(),
      text: text('Only with this text in message, entity or check').exactOptional(),
      since: time('Only those opened, changed, reopened or resolved since'),
      all: z.boolean().describe('Include waived and resolved ones').exactOptional(),
    },
    async answer(opened, { text, ...asked }, details) {
      const { settings, views, now } = opened
      const checks = checksOf(settings)
      const query = findingQuery(asked, settings, checks, now)
      const postures = shownPostures(await views.posture(query.tenant), details)
      const ordered = { ...query, text, order: 'severity' } as const
      const found = shownFindings(views.findings, ordered, details)
      const notes = postures.flatMap((one) => [...notesOf(within(one, checks, query.check), query)])
      return { ...(await part(found)), notes: [...notes, ...(await changeNotes(opened))] }
    },
  }),
  tool({
    name: 'explain',
    summary: 'One finding: its rule, risk and remedy, evidence, record, and what happened to it',
    parameters: { fingerprint: text('Fingerprint of a finding or its first 6 characters or more') },
    async answer(opened, { fingerprint }, details) {
      const explanation = await explain(opened, fingerprint, details)
      return details ? explanation : hideExplanation(explanation)
    },
  }),
  tool({
    name: 'history',
    summary: 'Changes of the tenant and decisions of operators, oldest first; the newest if there are many',
    parameters: {
      tenant,
      entity: text('Only this entity, such as users:12').exactOptional(),
      resource: z.enum(resourceNames).exactOptional(),
      since: time('Only changes since'),
      until: time('Only changes until'),
    },
    async answer(opened, asked, details) {
      const { rows, notes } = await listChanges(opened, { ...asked, details })
      return { ...(await part(rows, (change) => (details ? change : hideChange(change)), { keeps: 'last' })), notes }
    },
  }),
  tool({
    name: 'posture',
    summary: 'Status of every check and age of the data of each tenant, now or at a time in the past',
    parameters: { tenant, at: time('Status at that time, or at the end of that day') },
    async answer(opened, { at: given, ...only }, details) {
      const { now } = opened
      const at = given === undefined ? now : readMoment('at', given, { now, day: 'end' })
      const made = await makeReport(opened, { ...only, details }, { at, present: given === undefined })
      const { tenants, ...report } = made
      const shown = ({ findings: _, frameworks: __, trend: ___, ...one }: TenantReport) =>
        details ? one : hideTenant(one)
      const notes = given === undefined ? await changeNotes(opened) : []
      return { ...report, at: toIso(at), ...(await part(tenants, shown, { most: 5 })), notes }
    },
  }),
  tool({
    name: 'expiring',
    summary: 'Secrets of API clients and waivers that end soon or have ended, in order of time',
    parameters: { tenant, days: z.int().min(0).max(99_999).default(90).describe('How far to look ahead') },
    async answer(opened, asked, details) {
      const { rows, columns, notes } = await listExpiries(opened, { ...asked, details })
      return { ...(await part(rows, (one) => objectOf(details ? one : hideExpiry(one), columns))), notes }
    },
  }),
]

/** Rows that are counted after the first ones. Reading all of 100,000 findings takes seconds. */
export const mostCounted = 1000

/** The first or last rows of an answer, and the number of rows that it leaves out, as far as they are counted. */
async function part<Row>(
  all: Rows<Row>,
  shown: (row: Row) => unknown = (row) => row,
  { most = 50, keeps = 'first' }: { readonly most?: number; readonly keeps?: 'first' | 'last' } = {},
) {
  const kept: Row[] = []
  let count = 0
  for await (const row of all) {
    count++
    if (keeps === 'last' && kept.length === most) kept.shift()
    if (kept.length < most) kept.push(row)
    if (keeps === 'first' && count === most + mostCounted) break
  }
  return { rows: kept.map(shown), more: count - kept.length }
}
