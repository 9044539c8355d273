/** Expected texts of alerts as Prometheus renders them at one minute; time begins at 0, with one value per minute. */
interface WordScene {
  readonly about: string
  /** Series with their values, in promtool's notation. */
  readonly series: Readonly<Record<string, string>>
  readonly texts: readonly ExpectedText[]
}

interface ExpectedText {
  readonly alert: string
  readonly minute: number
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
  readonly description: string
}

const at = (instance: string) => `job="tenantwatch",instance="${instance}"`
const alive = (values: string, instance = 'a') => ({
  [`tenantwatch_build_info{${at(instance)},version="1"}`]: values,
  [`tenantwatch_check_enabled{tenant="acme",check="c",${at(instance)}}`]: values,
})

interface Named {
  readonly check: string
  readonly severity: string
  readonly type: string
  readonly id?: string
  readonly fingerprint: string
  readonly instance?: string
}

/** The series of a finding; Prometheus drops the label that the daemon leaves empty. */
function finding({ check, severity, type, id, fingerprint, instance = 'a' }: Named, values: string) {
  const entity = `entity_type="${type}"${id === undefined ? '' : `,entity_id="${id}"`}`
  const labels = `tenant="acme",check="${check}",severity="${severity}",${entity},fingerprint="${fingerprint}"`
  return { [`tenantwatch_finding_info{${labels},${at(instance)}}`]: values }
}

const count = (check: string, severity: string, values: string, instance = 'a') => ({
  [`tenantwatch_findings{tenant="acme",check="${check}",severity="${severity}",${at(instance)}}`]: values,
})

const mfa = 'user-mfa-enrolled'
const user = (id: string, fingerprint: string, instance = 'a', severity = 'high') => {
  return { check: mfa, severity, type: 'user', id, fingerprint, instance }
}
const ofMfa = `Open findings of severity high of check ${mfa} in tenant acme`
const more = (check: string) =>
  `\`tenantwatch findings --tenant acme --check ${check}\` lists all, \`tenantwatch explain FINGERPRINT\` explains one.`
const mfaSays = (minute: number, number: number, named: string, description: string): ExpectedText => ({
  alert: 'TenantwatchMfaNotEnrolled',
  minute,
  labels: { tenant: 'acme', check: mfa, severity: 'warning' },
  summary: `acme: ${number} ${number === 1 ? 'user is' : 'users are'} not enrolled in multi-factor authentication${named}`,
  description: `${ofMfa}: ${number}${description}. ${more(mfa)} To do: Have the user enrol a second factor, or withdraw the account.`,
})
const unknownSays = (check: string, reason: string): ExpectedText => ({
  alert: 'TenantwatchCheckUnknown',
  minute: 90,
  labels: { tenant: 'acme', check, severity: 'warning' },
  summary: `acme: check ${check} cannot be evaluated`,
  description: `Compliance of acme with ${check} is unknown${reason}. Open findings stay open. \`tenantwatch doctor\` shows which resources cannot be read, \`tenantwatch accept\` lists the holds; the runbook has a remedy for each reason.`,
})

const wordScenes: readonly WordScene[] = [
  {
    about: 'an alert names every finding that it counts, and none of another tenant or severity',
    series: {
      ...alive('1x60'),
      ...count(mfa, 'high', '2x60'),
      ...finding(user('1017', 'f1'), '1x60'),
      ...finding(user('41', 'f2'), '1x60'),
      ...finding(user('5', 'f3', 'a', 'low'), '1x60'),
      [`tenantwatch_finding_info{tenant="globex",check="${mfa}",severity="high",entity_type="user",entity_id="9",fingerprint="f9",${at('a')}}`]:
        '1x60',
    },
    texts: [mfaSays(30, 2, ' (user 1017, user 41)', ', namely user 1017 (f1), user 41 (f2)')],
  },
  {
    about: 'an alert on more than ten findings names ten, three of them in the title',
    series: {
      ...alive('1x60'),
      ...count(mfa, 'high', '120x60'),
      ...Object.assign({}, ...Array.from({ length: 10 }, (_, i) => finding(user(`10${i}`, `f${i}`), '1x60'))),
    },
    texts: [
      mfaSays(
        30,
        120,
        ' (user 100, user 101, user 102, …)',
        `, namely ${Array.from({ length: 10 }, (_, i) => `user 10${i} (f${i})`).join(', ')}, and others`,
      ),
    ],
  },
  {
    about: 'a finding of the settings as a whole, whose id is its type, is named once',
    series: {
      ...alive('1x60'),
      ...count('my-own', 'critical', '1x60'),
      ...finding(
        { check: 'my-own', severity: 'critical', type: 'auth-settings', id: 'auth-settings', fingerprint: 'f8' },
        '1x60',
      ),
    },
    texts: [
      {
        alert: 'TenantwatchOwnCheckFails',
        minute: 30,
        labels: { tenant: 'acme', check: 'my-own', severity: 'critical' },
        summary: 'acme: check my-own has 1 open finding (auth-settings)',
        description: `Open findings of severity critical of check my-own in tenant acme: 1, namely auth-settings (f8). ${more('my-own')} It also shows what to do.`,
      },
    ],
  },
  {
    about: 'a finding without an id to show is named by its fingerprint',
    series: {
      ...alive('1x60'),
      ...count('my-own', 'critical', '1x60'),
      ...finding({ check: 'my-own', severity: 'critical', type: 'laptop', fingerprint: 'f7' }, '1x60'),
    },
    texts: [
      {
        alert: 'TenantwatchOwnCheckFails',
        minute: 30,
        labels: { tenant: 'acme', check: 'my-own', severity: 'critical' },
        summary: 'acme: check my-own has 1 open finding (finding f7)',
        description: `Open findings of severity critical of check my-own in tenant acme: 1, namely laptop (f7). ${more('my-own')} It also shows what to do.`,
      },
    ],
  },
  {
    about: 'the daemon dies: findings that were open then are still named hours later, findings fixed before are not',
    series: {
      ...alive('1x40 _x300'),
      ...count(mfa, 'high', '2x20 1x20 _x300'),
      ...finding(user('41', 'f1'), '1x20 _x320'),
      ...finding(user('42', 'f2'), '1x40 _x300'),
    },
    texts: [
      mfaSays(18, 2, ' (user 41, user 42)', ', namely user 41 (f1), user 42 (f2)'),
      mfaSays(60, 1, ' (user 42)', ', namely user 42 (f2)'),
      mfaSays(320, 1, ' (user 42)', ', namely user 42 (f2)'),
    ],
  },
  {
    about:
      'another daemon continues with the tenant: its series count, and no finding is named twice while both export it',
    series: {
      ...alive('1x40 _x60'),
      ...alive('_x35 1x65', 'b'),
      ...count(mfa, 'high', '2x40 _x60'),
      ...count(mfa, 'high', '_x35 2x25 1x40', 'b'),
      ...finding(user('41', 'f1'), '1x40 _x60'),
      ...finding(user('42', 'f2'), '1x40 _x60'),
      ...finding(user('41', 'f1', 'b'), '_x35 1x25 _x40'),
      ...finding(user('42', 'f2', 'b'), '_x35 1x65'),
    },
    texts: [
      mfaSays(38, 2, ' (user 41, user 42)', ', namely user 41 (f1), user 42 (f2)'),
      mfaSays(70, 1, ' (user 42)', ', namely user 42 (f2)'),
    ],
  },
  {
    about: 'no finding is named where no name is exported, and a large number has all its digits',
    series: { ...alive('1x60'), ...count(mfa, 'high', '1200000x60') },
    texts: [mfaSays(30, 1_200_000, '', '')],
  },
  {
    about: 'the alert on a check that cannot be evaluated states the reason, if it is exported',
    series: {
      'tenantwatch_check_status{tenant="acme",check="a",status="unknown"}': '1x120',
      'tenantwatch_check_enabled{tenant="acme",check="a"}': '1x120',
      'tenantwatch_check_unknown_reason{tenant="acme",check="a",reason="stale"}': '1x120',
    },
    texts: [unknownSays('a', ' (reason: stale)')],
  },
  {
    about: 'the alert on a check that cannot be evaluated states no reason if none is exported',
    series: {
      'tenantwatch_check_status{tenant="acme",check="a",status="unknown"}': '1x120',
      'tenantwatch_check_enabled{tenant="acme",check="a"}': '1x120',
    },
    texts: [unknownSays('a', '')],
  },
  {
    about: 'the alert on a hold of the whole tenant names the usual cause before the command that accepts it',
    series: { 'tenantwatch_hold{tenant="acme",resource="all",reason="tenant_changed"}': '20x60' },
    texts: [
      heldSays(
        ['all', 'tenant_changed'],
        'the whole tenant is on hold: the data may be that of another tenant (tenant_changed)',
        'Nothing of acme is stored, and every check of it is unknown. The usual cause is a wrong token: check the token first (`tenantwatch doctor`), and accept nothing before. `tenantwatch accept` lists the holds with their causes and the effect of accepting.',
      ),
    ],
  },
  {
    about: 'the alert on a hold of a list states why it is on hold and which commands show the records',
    series: { 'tenantwatch_hold{tenant="acme",resource="users",reason="shrink_held"}': '60x60' },
    texts: [
      heldSays(
        ['users', 'shrink_held'],
        'the list of users is on hold: records are gone, and their removal needs a decision (shrink_held)',
        'The engine removes nothing of users of acme until an operator accepts the change or its cause is gone. Compare its records (`tenantwatch accept HOLD --list`) with the portal of the tenant before you accept it. `tenantwatch accept` lists the holds with their causes and the effect of accepting.',
      ),
    ],
  },
  {
    about: 'the alert on quarantined records counts them in a sentence',
    series: { 'tenantwatch_quarantined_records{tenant="acme",resource="users"}': '1x100 2x100' },
    texts: [
      quarantineSays(90, '1 record of users is quarantined'),
      quarantineSays(190, '2 records of users are quarantined'),
    ],
  },
  {
    about: 'the alert on a waiver states the time left, and then that it has ended',
    series: { 'tenantwatch_waiver_expiration_timestamp_seconds{tenant="acme",check="c",waiver="w"}': '3660x120' },
    texts: [waiverSays(1, 'ends within a day'), waiverSays(90, 'has ended')],
  },
  ...(
    [
      [250_620, 'ends in 2.9 days'],
      [259_020, 'ends in 2.9 days'],
      [1_036_860, 'ends in 12 days'],
      [1_123_140, 'ends in 12 days'],
    ] as const
  ).map(([expiry, state]) => ({
    about: `the alert on a waiver states the days left, rounded down: ${expiry} s, ${state}`,
    series: { 'tenantwatch_waiver_expiration_timestamp_seconds{tenant="acme",check="c",waiver="w"}': `${expiry}x5` },
    texts: [waiverSays(1, state)],
  })),
  {
    about: 'the alert on a secret names the client and states the time left, and then that it has expired',
    series: {
      [`tenantwatch_api_client_info{tenant="acme",client_id="x",client_name="Billing \\"EU\\"",role="r",${at('a')}}`]:
        '1x120',
      [`tenantwatch_api_client_secret_expiration_timestamp_seconds{tenant="acme",client_id="x",${at('a')}}`]:
        '3660x120',
    },
    texts: [
      secretSays('LastDay', 1, 'expires within a day', 'stops working within a day: create a new secret now.'),
      secretSays(
        '',
        90,
        'has expired',
        'no longer works: create a new secret, or delete the client if nothing uses it.',
      ),
    ],
  },
]

function secretSays(rung: 'LastDay' | '', minute: number, state: string, effect: string): ExpectedText {
  return {
    alert: rung === '' ? 'TenantwatchSecretExpired' : `TenantwatchSecretExpiry${rung}`,
    minute,
    labels: { tenant: 'acme', client_id: 'x', severity: 'critical' },
    summary: `acme: the secret of API client Billing "EU" x ${state}`,
    description: `The integration that uses API client Billing "EU" x of acme ${effect}`,
  }
}

function quarantineSays(minute: number, state: string): ExpectedText {
  return {
    alert: 'TenantwatchQuarantine',
    minute,
    labels: { tenant: 'acme', resource: 'users', severity: 'info' },
    summary: `acme: ${state}`,
    description:
      'Checks over users of acme cannot pass until a full sync returns valid versions of these records or their removal is confirmed. `tenantwatch doctor --quarantine` lists the records and what is wrong: correct them in the portal.',
  }
}

function heldSays([resource, reason]: readonly [string, string], state: string, description: string): ExpectedText {
  return {
    alert: 'TenantwatchHeld',
    minute: 1,
    labels: { tenant: 'acme', resource, reason, severity: 'warning' },
    summary: `acme: ${state}`,
    description,
  }
}

function waiverSays(minute: number, state: string): ExpectedText {
  return {
    alert: 'TenantwatchWaiverEnds',
    minute,
    labels: { tenant: 'acme', check: 'c', waiver: 'w', severity: 'info' },
    summary: `acme: waiver w ${state}`,
    description:
      'When waiver w ends, the findings of c in acme that it accepts are open again: fix them, renew the waiver, or remove it.',
  }
}

/** The scenes as a file for `promtool test rules`. */
export function promtoolWordTests(rules: string): object {
  return {
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: wordScenes.map(({ about, series, texts }) => ({
      name: about,
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: texts.map(({ alert, minute, labels, summary, description }) => ({
        alertname: alert,
        eval_time: `${minute}m`,
        exp_alerts: [
          {
            exp_labels: labels,
            exp_annotations: {
              summary,
              description,
              runbook_url: `https://github.com/tenantwatch/tenantwatch/blob/main/docs/runbooks/${alert}.md`,
            },
          },
        ],
      })),
    })),
  }
}
