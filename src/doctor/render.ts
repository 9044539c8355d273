import type { Io } from '../model/process/io.ts'
import { plural } from '../model/text/numbers.ts'
import { table } from '../report/formats.ts'
import { type Terminal, wrapLastColumn } from '../report/terminal.ts'
import type { Diagnosis, Level } from './diagnosis.ts'
import type { Enrolment } from './enrolment.ts'

type Marks = Readonly<Record<Level, string>>

const signs: Marks = { ok: '✓', warn: '!', fail: '✗' }
const letters: Marks = { ok: 'ok', warn: '!', fail: 'FAIL' }

/** UTF-8 or ASCII by the locale; without a locale ASCII on a terminal, else UTF-8. */
export function marksFor({ stdout, env }: Pick<Io, 'stdout' | 'env'>): Marks {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '')
  if (locale === undefined) return stdout.isTTY === true ? letters : signs
  return /utf-?8/i.test(locale) ? signs : letters
}

/** A narrower terminal has no room for permissions beside a sentence. */
const columnsOfPermissions = 110

export function diagnosisTable(found: readonly Diagnosis[], marks: Marks, terminal: Terminal | null): string {
  const isNarrow = terminal !== null && terminal.columns < columnsOfPermissions
  const withPermission = !isNarrow && found.some(({ permission }) => permission !== null)
  const rows = byCause(found).map(({ level, subject, permission, sentence, advice }) => [
    marks[level],
    subject,
    ...(withPermission ? [permission ?? ''] : []),
    advice === null ? sentence : `${sentence}. ${advice}`,
  ])
  const whole = table(['', 'WHAT', ...(withPermission ? ['PERMISSION'] : []), 'FOUND'], rows)
  return wrapLastColumn(whole, terminal)
}

/** The sentence without endpoint and request id. */
function causeIn({ sentence, advice }: Diagnosis): string {
  const same = sentence.replace(/\/api\/public\/[\w-]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi, '')
  return `${same}\n${advice}`
}

const isFailed = ({ level, reason }: Diagnosis) => level === 'fail' && reason !== null

/** True for a request that was not sent, because an earlier one failed. */
function isSkipped(one: Diagnosis): boolean {
  return isFailed(one) && one.sentence.startsWith(`${one.reason}: skipped`)
}

/** One diagnosis for one cause that fails several requests, with the names of all resources. */
export function byCause(found: readonly Diagnosis[]): readonly Diagnosis[] {
  const firstOf = (one: Diagnosis) =>
    isSkipped(one)
      ? found.find((other) => isFailed(other) && other.reason === one.reason)
      : found.find((other) => isFailed(other) && causeIn(other) === causeIn(one))
  const causes = Map.groupBy(found, (one) => (isFailed(one) ? (firstOf(one) ?? one) : one))
  return [...causes].map(([first, all]) => {
    if (all.length === 1) return first
    const names = (some: readonly Diagnosis[]) => some.map(({ subject }) => subject).join(', ')
    const skipped = all.filter((one) => one !== first && isSkipped(one))
    const permissions = [...new Set(all.flatMap(({ permission }) => permission ?? []))]
    const untried = skipped.length === 0 ? '' : `; not tried after that: ${names(skipped)}`
    return {
      ...first,
      subject: `${all.length} resources`,
      permission: permissions.length > 1 ? `${permissions.length} permissions` : (permissions[0] ?? null),
      sentence: `${first.sentence} (${names(all.filter((one) => !skipped.includes(one)))}${untried})`,
    }
  })
}

/** @param failed number of failed diagnoses, requests that were skipped included. */
export function failuresInWords(all: readonly (readonly Diagnosis[])[], failed: number): string {
  const untried = all.flat().filter(isSkipped).length
  const causes = all.flatMap(byCause).filter(({ level }) => level === 'fail').length
  const counts = untried === 0 ? `${failed} failed` : `${failed - untried} failed, ${untried} not tried`
  return causes === failed ? counts : `${counts} for ${plural(causes, 'cause')}`
}

export function enrolmentTable({ enrolledWhen, assumed, policy, groups }: Enrolment): string {
  const demand = policy === null ? 'policy not read yet' : `policy ${policy ? 'on' : 'off'}`
  const rows = groups.map(({ state, mfaStatus, mfaAction, count, enrolled }) => [
    state,
    String(mfaStatus),
    String(mfaAction),
    String(count),
    enrolled ? 'yes' : 'no',
  ])
  const rule = `enrolledWhen ${enrolledWhen}${assumed ? ', assumed' : ''}; ${demand}`
  return `${rule}\n${table(['STATE', 'MFASTATUS', 'MFAACTION', 'USERS', 'ENROLLED'], rows)}`
}
