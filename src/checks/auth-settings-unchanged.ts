import * as z from 'zod'
import type { CheckContext, Outcome, RuleContext } from '../evaluate/check.ts'
import type { AcceptedState } from '../evaluate/decisions.ts'
import { configuredBaseline } from '../evaluate/findings/identity.ts'
import { dayOf, toIso } from '../model/time.ts'
import type { ChangeRow, MirrorRecord } from '../store/records/query.ts'
import { defineCheck } from './support/define-check.ts'
import { assumesFirstState, type Expectation, expectationOf, withoutDrift } from './support/drift.ts'
import { quoted, readingOf } from './support/records.ts'
import { missingSettings } from './support/settings.ts'

const subjects = {
  ssoEnabled: 'Single sign-on',
  ssoEnforced: 'Enforcement of single sign-on',
  providerType: 'The type of the identity provider',
  tenantName: 'The name of the tenant at the identity provider',
  mfaEnabled: 'Multi-factor authentication',
} as const
type Field = keyof typeof subjects
const fields = Object.keys(subjects) as readonly Field[]

const protections: ReadonlySet<Field> = new Set(['ssoEnabled', 'ssoEnforced', 'mfaEnabled'])

const baseline = z.strictObject({
  ssoEnabled: z.boolean().optional(),
  ssoEnforced: z.boolean().optional(),
  providerType: z.string().nullable().optional(),
  tenantName: z.string().nullable().optional(),
  mfaEnabled: z.boolean().optional(),
})

type Baseline = z.output<typeof baseline>

export const authSettingsUnchanged = defineCheck({
  id: 'auth-settings-unchanged',
  title: 'The authentication settings match the accepted state',
  failing: [
    'authentication setting differs from the accepted state',
    'authentication settings differ from the accepted state',
  ],
  description:
    'Every field of the authentication settings has its expected value: the one in the configured `baseline`, such as `{ ssoEnforced: true, mfaEnabled: true }`, else the one last accepted by an operator, else the one first mirrored.',
  risk: 'A weakened sign-in policy goes unnoticed, whether by mistake or by an intruder.',
  remediation:
    'Restore the setting, or accept its new value: write it into the baseline, or run "tenantwatch accept DRIFT_ID --reason TEXT" with the id that "tenantwatch findings" shows.',
  alert: 'SettingsDrift',
  frameworks: 'soc2 CC7.1 CC7.2 CC8.1, iso27001 A.8.9 A.8.32, nist80053 CM-2 CM-3 CM-6, pcidss 2.2.1 6.5.1, cis 4.1',
  severities: ['medium', 'critical'],
  evaluates: 'authentication-settings',
  notEvaluatedWhere: 'the settings are not in the mirror',
  entity: { type: 'authentication-setting', isRecord: false },
  material: ['present', 'expected'],
  drift: {
    states: (records, changes) =>
      new Map(records.flatMap((settings) => fields.map((field) => [field, firstOf(field, settings, changes)]))),
  },
  options: z.strictObject({ baseline: baseline.default({}) }),
  assumption: assumesFirstState,
  begin(options, { accepted }) {
    let outcomes: [string, Outcome][] = [['authentication-settings', missingSettings]]
    return {
      readsHistoryOf: () => true,
      record(settings, history) {
        outcomes = fields.map((field) => {
          const known = { settings, changes: changesOf(history, field), accepted: accepted?.get(field) }
          return [field, outcomeOf(field, options.baseline, known)]
        })
        return null
      },
      end: () => outcomes,
    }
  },
})

function outcomeOf(field: Field, baseline: Baseline, known: Known): Outcome {
  const { settings, changes, accepted } = known
  const present = settings.fields[field]
  const expectation = expectationOf(baseline[field], accepted, firstOf(field, settings, changes))
  const { expected } = expectation
  if (present === expected) return withoutDrift(expectation)
  const isWeakened = protections.has(field) && expected === true
  return {
    kind: 'fails',
    severity: isWeakened ? 'critical' : 'medium',
    message: sentence(field, present, expectation, changes.at(-1)),
    evidence: {
      field,
      present,
      ...expectation,
      ...readingOf(settings),
      changes: changes
        .slice(-10)
        .map(({ at, before, after, requestId }) => ({ at: toIso(at), before, after, requestId })),
    },
  }
}

interface Known {
  readonly settings: MirrorRecord
  readonly changes: readonly ChangeRow[]
  readonly accepted: AcceptedState | undefined
}

/** What the configured baseline or the accepted state expects of the multi-factor policy; null without either. */
export function expectedMfaPolicy({ accepted, optionsOf }: Pick<CheckContext, 'accepted' | 'optionsOf'>): unknown {
  return configuredMfaPolicy(optionsOf) ?? accepted?.get('mfaEnabled')?.state ?? null
}

export function configuredMfaPolicy(optionsOf: RuleContext['optionsOf']): boolean | null {
  const { baseline: configured = {} } = optionsOf(authSettingsUnchanged.id) as { readonly baseline?: Baseline }
  return configured.mfaEnabled ?? null
}

/** The value that was first mirrored. */
function firstOf(field: Field, settings: MirrorRecord, history: readonly ChangeRow[]): unknown {
  const [first] = changesOf(history, field)
  return first === undefined ? settings.fields[field] : first.before
}

/** A configured baseline says what is wanted, not what was. */
function sentence(
  field: Field,
  present: unknown,
  { expected, expectedFrom }: Expectation,
  last: ChangeRow | undefined,
): string {
  const [is, was] = [shown(present), shown(expected)]
  const state = typeof present === 'boolean' ? (present ? 'on' : 'off') : null
  if (expectedFrom === configuredBaseline)
    return `${subjects[field]} ${state === null ? 'differs' : `is ${state}`}: ${field} is ${is}, and the ${expectedFrom} is ${was}.`
  const what = state === null ? 'was changed' : `was switched ${state}`
  const when = last === undefined ? '' : ` on ${dayOf(last.at)}`
  return `${subjects[field]} ${what}${when}: ${field} ${was} → ${is}, against the ${expectedFrom}.`
}

function changesOf(history: readonly ChangeRow[], field: Field): readonly ChangeRow[] {
  return history.filter((change) => change.kind === 'changed' && change.field === field)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : String(value)
}
