import { checks } from '../../../src/checks/index.ts'
import { alertNames } from '../../monitoring/support/shipped.ts'

/** Series in Prometheus, and the alerts that fire at one minute. Time begins at 0. */
export interface AlertScene {
  readonly about: string
  /** Minutes from one value, and one evaluation, to the next; default 1. For what takes days. */
  readonly step?: number
  /** Series with their values, in promtool's notation. */
  readonly series: Readonly<Record<string, string>>
  readonly expect: readonly AlertExpectation[]
}

export interface AlertExpectation {
  readonly alert: string
  readonly minute: number
  /** Labels of each one that fires; none = it is silent. */
  readonly firing: readonly Readonly<Record<string, string>>[]
}

const at = 'job="tenantwatch",instance="a"'
const alive = { [`tenantwatch_build_info{${at},version="1"}`]: '1x400', [`up{${at}}`]: '1x400' }
const evaluationLimit = (tenant = 'acme') => `tenantwatch_evaluation_freshness_limit_seconds{tenant="${tenant}",${at}}`
const threshold = (severity: string, tenant = 'acme') =>
  `tenantwatch_check_threshold_seconds{tenant="${tenant}",check="api-client-secret-not-expiring",severity="${severity}",${at}}`
/** The defaults. */
const thresholds = { [threshold('medium')]: '2592000x400', [threshold('high')]: '604800x400' }
const watched = { [`tenantwatch_check_enabled{tenant="acme",check="c",${at}}`]: '1x400' }
const day = 86_400

const fires = (alert: string, minute: number, ...firing: readonly Readonly<Record<string, string>>[]) => ({
  alert,
  minute,
  firing,
})
const silent = (alert: string, minute: number) => ({ alert, minute, firing: [] })

const findingsSeries = `tenantwatch_findings{tenant="acme",check="c",severity="high",${at}}`
const limitSeries = `tenantwatch_sync_freshness_limit_seconds{tenant="acme",resource="users",mode="full",${at}}`
const success = (resource: string) =>
  `tenantwatch_sync_last_success_timestamp_seconds{tenant="acme",resource="${resource}",mode="full",${at}}`
const successSeries = success('users')

const watch: readonly AlertScene[] = [
  {
    about: 'the first hour of a tenant, in which nothing pages that may be old',
    series: {
      ...alive,
      [`tenantwatch_check_enabled{tenant="acme",check="auth-sso-enforced",${at}}`]: '1x400',
      [`tenantwatch_findings{tenant="acme",check="auth-sso-enforced",severity="high",${at}}`]: '1x400',
      [`tenantwatch_api_client_secret_expiration_timestamp_seconds{tenant="acme",client_id="x",${at}}`]: '-86400x400',
      [`tenantwatch_sync_first_success_timestamp_seconds{tenant="acme",resource="users",${at}}`]: '0 60x399',
      [`tenantwatch_sync_first_success_timestamp_seconds{tenant="acme",resource="roles",${at}}`]: '0x90 5400x300',
    },
    expect: [
      silent('TenantwatchSecretExpired', 50),
      silent('TenantwatchSsoNotEnforced', 50),
      fires('TenantwatchSecretExpired', 65, { tenant: 'acme', client_id: 'x', severity: 'critical' }),
      fires('TenantwatchSsoNotEnforced', 95, { tenant: 'acme', severity: 'high' }),
    ],
  },
  {
    about: 'the daemon dies: TenantwatchDown fires, and no finding counts as fixed, even hours later',
    series: {
      [`up{${at}}`]: '1x10 0x400',
      [`tenantwatch_build_info{${at},version="1"}`]: '1x10 _x400',
      [`tenantwatch_check_enabled{tenant="acme",check="auth-sso-enforced",${at}}`]: '1x10 _x400',
      [`tenantwatch_findings{tenant="acme",check="auth-sso-enforced",severity="high",${at}}`]: '1x10 _x400',
      [`tenantwatch_api_client_secret_expiration_timestamp_seconds{tenant="acme",client_id="x",${at}}`]: `${5 * day}x10 _x400`,
      [threshold('high')]: '604800x10 _x400',
    },
    expect: [
      silent('TenantwatchDown', 9),
      fires('TenantwatchDown', 30, { severity: 'critical' }),
      fires('TenantwatchInstanceDown', 30, { severity: 'critical', instance: 'a' }),
      fires('TenantwatchSsoNotEnforced', 30, { tenant: 'acme', severity: 'high' }),
      fires('TenantwatchSsoNotEnforced', 300, { tenant: 'acme', severity: 'high' }),
      fires('TenantwatchSecretExpiryImminent', 300, { tenant: 'acme', client_id: 'x', severity: 'high' }),
      fires('TenantwatchTenantGone', 300, { tenant: 'acme', severity: 'high' }),
    ],
  },
  {
    about: 'a target of notifications is down from the beginning, another one only for a while',
    series: {
      [`tenantwatch_notifications_total{target="down",outcome="failure",${at}}`]: '0x5 1+0.1x200',
      [`tenantwatch_notifications_total{target="down",outcome="success",${at}}`]: '0x205',
      [`tenantwatch_notifications_total{target="back",outcome="failure",${at}}`]: '0x5 1+1x5 6x195',
      [`tenantwatch_notifications_total{target="back",outcome="success",${at}}`]: '0x9 1x196',
    },
    expect: [
      silent('TenantwatchNotificationsFailing', 4),
      ...[20, 200].map((minute) =>
        fires('TenantwatchNotificationsFailing', minute, { target: 'down', instance: 'a', severity: 'high' }),
      ),
    ],
  },
  {
    about: "the scrape target has a label of tenantwatch's",
    series: {
      [`tenantwatch_check_enabled{tenant="other",exported_tenant="acme",check="auth-sso-enforced",${at}}`]: '1x30',
    },
    expect: [silent('TenantwatchLabelsRenamed', 4), fires('TenantwatchLabelsRenamed', 10, { severity: 'critical' })],
  },
  {
    about: 'the target vanishes from discovery',
    series: {},
    expect: [fires('TenantwatchDown', 30, { severity: 'critical' })],
  },
  {
    about: 'a daemon comes back under another name and the finding is fixed meanwhile',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x10 _x200',
      [`tenantwatch_findings{tenant="acme",check="auth-sso-enforced",severity="high",${at}}`]: '1x10 _x200',
      [`tenantwatch_check_enabled{tenant="acme",check="auth-sso-enforced",${at}}`]: '1x10 _x200',
      'tenantwatch_build_info{job="tenantwatch",instance="b",version="1"}': '_x40 1x160',
      'tenantwatch_findings{tenant="acme",check="auth-sso-enforced",severity="high",job="tenantwatch",instance="b"}':
        '_x40 0x160',
      'tenantwatch_check_enabled{tenant="acme",check="auth-sso-enforced",job="tenantwatch",instance="b"}': '_x40 1x160',
    },
    expect: [
      fires('TenantwatchSsoNotEnforced', 38, { tenant: 'acme', severity: 'high' }),
      silent('TenantwatchSsoNotEnforced', 45),
    ],
  },
  {
    about:
      'a tenant goes from one replica to another, then its database is away, and nothing that a replica knew before counts',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x200',
      [`tenantwatch_tenant_owned{tenant="acme",${at}}`]: '1x20 0x180',
      [`tenantwatch_replica_heartbeat_timestamp_seconds{${at}}`]: '0+60x120 7200x80',
      [`tenantwatch_findings{tenant="acme",check="auth-sso-enforced",severity="high",${at}}`]: '1x20 stale _x179',
      [`tenantwatch_findings{tenant="acme",check="auth-settings-unchanged",severity="critical",${at}}`]:
        '2x20 stale _x179',
      [`tenantwatch_check_enabled{tenant="acme",check="auth-sso-enforced",${at}}`]: '1x20 stale _x179',
      'tenantwatch_build_info{job="tenantwatch",instance="b",version="1"}': '1x200',
      'tenantwatch_tenant_owned{tenant="acme",job="tenantwatch",instance="b"}': '0x21 1x99 0x80',
      'tenantwatch_findings{tenant="acme",check="auth-sso-enforced",severity="high",job="tenantwatch",instance="b"}':
        '_x21 1x99 stale _x79',
      'tenantwatch_findings{tenant="acme",check="auth-settings-unchanged",severity="critical",job="tenantwatch",instance="b"}':
        '_x21 0x99 stale _x79',
      'tenantwatch_check_enabled{tenant="acme",check="auth-sso-enforced",job="tenantwatch",instance="b"}':
        '_x21 1x99 stale _x79',
    },
    expect: [
      ...[20, 21, 22, 60, 122, 190].map((minute) =>
        fires('TenantwatchSsoNotEnforced', minute, { tenant: 'acme', severity: 'high' }),
      ),
      fires('TenantwatchSettingsDrift', 20, { tenant: 'acme', severity: 'critical' }),
      ...[23, 60, 122, 190].map((minute) => silent('TenantwatchSettingsDrift', minute)),
      ...[20, 60].map((minute) => silent('TenantwatchTenantsUnowned', minute)),
      fires('TenantwatchTenantsUnowned', 125, { tenant: 'acme', severity: 'critical' }),
      silent('TenantwatchReplicaStale', 60),
      fires('TenantwatchReplicaStale', 125, { instance: 'a', severity: 'high' }),
    ],
  },
  {
    about: 'a tenant is removed from the configuration of a running daemon',
    series: {
      ...alive,
      'tenantwatch_check_enabled{tenant="globex",check="c",job="tenantwatch",instance="a"}': '1x400',
      [`tenantwatch_check_enabled{tenant="acme",check="auth-sso-enforced",${at}}`]: '1x30 _x200',
      [`tenantwatch_findings{tenant="acme",check="auth-sso-enforced",severity="high",${at}}`]: '1x30 _x200',
    },
    expect: [
      fires('TenantwatchSsoNotEnforced', 25, { tenant: 'acme', severity: 'high' }),
      silent('TenantwatchSsoNotEnforced', 40),
      fires('TenantwatchTenantGone', 60, { tenant: 'acme', severity: 'high' }),
      silent('TenantwatchTenantGone', 200),
    ],
  },
  {
    about: 'something answers on the port and serves nothing of ours',
    series: { [`up{${at}}`]: '1x60' },
    expect: [silent('TenantwatchDown', 30), fires('TenantwatchMetricsMissing', 30, { severity: 'critical' })],
  },
  {
    about: 'nothing answers on the port: no series are missing in an answer',
    series: { [`up{${at}}`]: '0x60' },
    expect: [fires('TenantwatchDown', 30, { severity: 'critical' }), silent('TenantwatchMetricsMissing', 30)],
  },
  {
    about: 'a daemon serves all that the rules need',
    series: {
      ...alive,
      ...watched,
      [`tenantwatch_check_status{tenant="acme",check="c",status="unknown",${at}}`]: '0x100',
      [findingsSeries]: '0x100',
      ...thresholds,
      [evaluationLimit()]: '900x100',
      [limitSeries]: '900x100',
      [successSeries]: '0+60x100',
      [`tenantwatch_config_last_reload_successful{${at}}`]: '1x30 0x70',
      [`tenantwatch_evaluation_last_timestamp_seconds{tenant="acme",${at}}`]: '0+60x30 1800x70',
      [`tenantwatch_api_clock_skew_seconds{tenant="acme",${at}}`]: '2x30 -301x70',
    },
    expect: [
      silent('TenantwatchMetricsMissing', 60),
      silent('TenantwatchInstanceDown', 60),
      silent('TenantwatchTenantGone', 80),
      silent('TenantwatchConfigReloadFailed', 30),
      fires('TenantwatchConfigReloadFailed', 40, { instance: 'a', severity: 'high' }),
      silent('TenantwatchEvaluationStalled', 40),
      fires('TenantwatchEvaluationStalled', 60, { tenant: 'acme', severity: 'critical' }),
      silent('TenantwatchClockWrong', 30),
      fires('TenantwatchClockWrong', 60, { tenant: 'acme', severity: 'high' }),
      fires('TenantwatchWatchdog', 1, { severity: 'none' }),
    ],
  },
  ...[`tenantwatch_check_status{tenant="acme",check="c",status="unknown",${at}}`, findingsSeries].map((lost) => ({
    about: `a daemon answers without a series that rules need: ${lost}`,
    series: {
      ...alive,
      ...watched,
      [`tenantwatch_check_status{tenant="acme",check="c",status="unknown",${at}}`]: '0x100',
      [findingsSeries]: '0x100',
      ...thresholds,
      [evaluationLimit()]: '900x100',
      [limitSeries]: '900x100',
      [successSeries]: '0+60x100',
      [lost]: '0x20 _x80',
    },
    expect: [
      silent('TenantwatchMetricsMissing', 20),
      fires('TenantwatchMetricsMissing', 40, { severity: 'critical' }),
      silent('TenantwatchDown', 40),
    ],
  })),
  {
    about: 'the clock is ahead of that of Prometheus: no success lies in the future',
    series: { ...alive, ...watched, [successSeries]: '0+60x20 7200x100' },
    expect: [
      silent('TenantwatchClockWrong', 30),
      fires('TenantwatchClockWrong', 60, { tenant: 'acme', resource: 'users', severity: 'high' }),
      silent('TenantwatchClockWrong', 125),
    ],
  },
]

const syncOf = (resource: string) => `tenant="acme",resource="${resource}",mode="full"`
const lastSuccess = (resource: string) => `tenantwatch_sync_last_success_timestamp_seconds{${syncOf(resource)}}`
const limit = (resource: string) => `tenantwatch_sync_freshness_limit_seconds{${syncOf(resource)}}`

const up = (resource: string, mode: string) =>
  `tenantwatch_sync_up{tenant="acme",resource="${resource}",mode="${mode}",${at}}`
const attempt = (resource: string, mode: string) =>
  `tenantwatch_sync_last_attempt_timestamp_seconds{tenant="acme",resource="${resource}",mode="${mode}",${at}}`
const accessRefused = (resource: string) => `tenantwatch_access_refused{tenant="acme",resource="${resource}",${at}}`
const refusedRuns = (resource: string, reason: 'unauthorized' | 'missing_permission') =>
  `tenantwatch_sync_failures_total{tenant="acme",resource="${resource}",reason="${reason}",${at}}`

const sync: readonly AlertScene[] = [
  {
    about: 'one full sync is stale, one fresh, one never was',
    series: {
      [lastSuccess('users')]: '60x300',
      [limit('users')]: '3600x300',
      [lastSuccess('roles')]: '60+60x300',
      [limit('roles')]: '3600x300',
      [lastSuccess('documents')]: '0x300',
      [limit('documents')]: '3600x300',
    },
    expect: [
      silent('TenantwatchSyncStale', 50),
      fires('TenantwatchSyncStale', 90, { resource: 'users', severity: 'critical' }),
      silent('TenantwatchSyncNever', 50),
      fires('TenantwatchSyncNever', 90, { resource: 'documents', severity: 'critical' }),
    ],
  },
  {
    about: 'a resource is refused once, and then no longer',
    series: {
      [accessRefused('users')]: '0x30 1x5 0x60',
      [refusedRuns('users', 'unauthorized')]: '0x30 1x66',
    },
    expect: [
      fires('TenantwatchAccessRefused', 34, { resource: 'users', severity: 'high' }),
      silent('TenantwatchAccessRefused', 40),
    ],
  },
  {
    about:
      'a token is renewed, then the tenant cannot be reached: only the resource that was not read in between is refused',
    series: {
      // Users are read with the new token, documents lack a permission: their check is unknown because of it.
      [up('users', 'incremental')]: '1x30 0x5 1x5 0x60',
      [attempt('users', 'incremental')]: '0+60x101',
      [accessRefused('users')]: '0x30 1x5 0x65',
      [refusedRuns('users', 'unauthorized')]: '0x30 1x70',
      [up('documents', 'incremental')]: '1x30 0x70',
      [attempt('documents', 'incremental')]: '0+60x101',
      [accessRefused('documents')]: '0x30 1x70',
      [refusedRuns('documents', 'missing_permission')]: '0x30 1x70',
      [`tenantwatch_check_unknown_reason{tenant="acme",check="document-current",reason="missing_permission",${at}}`]:
        '_x30 1x70',
    },
    expect: [
      fires(
        'TenantwatchAccessRefused',
        34,
        { resource: 'users', severity: 'high' },
        { resource: 'documents', severity: 'high' },
      ),
      ...[38, 60, 95].map((minute) =>
        fires('TenantwatchAccessRefused', minute, { resource: 'documents', severity: 'high' }),
      ),
      // The runs of users still fail.
      fires(
        'TenantwatchSyncFailing',
        95,
        { resource: 'users', mode: 'incremental', severity: 'high' },
        { resource: 'documents', mode: 'incremental', severity: 'high' },
      ),
    ],
  },
  {
    about: 'access is refused before and after the daemon starts again, and another replica takes the tenant over',
    series: {
      [accessRefused('users')]: '0x30 1x10 _x5 1x15 stale _x60',
      [refusedRuns('users', 'missing_permission')]: '0x30 1x10 _x5 0x15 stale _x60',
      'tenantwatch_access_refused{tenant="acme",resource="users",job="tenantwatch",instance="b"}': '_x62 1x20 0x40',
      'tenantwatch_sync_failures_total{tenant="acme",resource="users",reason="missing_permission",job="tenantwatch",instance="b"}':
        '_x62 0x60',
    },
    expect: [
      ...[35, 48, 58, 64, 80].map((minute) =>
        fires('TenantwatchAccessRefused', minute, { resource: 'users', severity: 'high' }),
      ),
      silent('TenantwatchAccessRefused', 84),
    ],
  },
  {
    about: 'a daemon is refused before its first scrape, and not a second time: the alert fires for three hours',
    series: {
      [`process_start_time_seconds{${at}}`]: '0x300',
      [accessRefused('users')]: '1x300',
      [refusedRuns('users', 'unauthorized')]: '1x300',
    },
    expect: [
      fires('TenantwatchAccessRefused', 1, { resource: 'users', severity: 'high' }),
      fires('TenantwatchAccessRefused', 170, { resource: 'users', severity: 'high' }),
      silent('TenantwatchAccessRefused', 200),
    ],
  },
  {
    about: 'odd records outlive a restart of the daemon, and nobody hears that they are gone',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x70 _x10 1x60',
      [`tenantwatch_check_enabled{tenant="acme",check="c",${at}}`]: '1x70 _x10 1x60',
      [`tenantwatch_quarantined_records{tenant="acme",resource="users",${at}}`]: '3x70 _x10 3x20 0x40',
    },
    expect: [
      silent('TenantwatchQuarantine', 50),
      ...[65, 75, 85].map((minute) =>
        fires('TenantwatchQuarantine', minute, { resource: 'users', severity: 'medium' }),
      ),
      silent('TenantwatchQuarantine', 110),
    ],
  },
  {
    about: 'runs fail, are refused, are held, meet odd records and a changed contract',
    series: {
      'tenantwatch_sync_up{tenant="acme",resource="users",mode="incremental"}': '1x30 0x100',
      [accessRefused('users')]: '0x30 1x100',
      [refusedRuns('users', 'missing_permission')]: '0x30 1x100',
      'tenantwatch_sync_failures_total{tenant="acme",resource="users",reason="timeout"}': '0x30 1x100',
      'tenantwatch_hold{tenant="acme",resource="users",reason="shrink_held"}': '0x30 1x30 0x70',
      'tenantwatch_quarantined_records{tenant="acme",resource="users"}': '0x30 3x100',
      'tenantwatch_contract_events_total{tenant="acme",resource="users",kind="unknown_field"}': '0x30 2x100',
      'tenantwatch_contract_events_total{tenant="acme",resource="users",kind="skipped_row"}': '_x50 1x80',
    },
    expect: [
      silent('TenantwatchSyncFailing', 40),
      fires('TenantwatchSyncFailing', 70, { resource: 'users', mode: 'incremental', severity: 'high' }),
      silent('TenantwatchAccessRefused', 29),
      fires('TenantwatchAccessRefused', 40, { resource: 'users', severity: 'high' }),
      // A resource whose runs are an hour apart is refused all the time between them.
      fires('TenantwatchAccessRefused', 85, { resource: 'users', severity: 'high' }),
      silent('TenantwatchHeld', 29),
      fires('TenantwatchHeld', 40, { resource: 'users', reason: 'shrink_held', severity: 'high' }),
      silent('TenantwatchHeld', 70),
      silent('TenantwatchQuarantine', 60),
      fires('TenantwatchQuarantine', 120, { resource: 'users', severity: 'medium' }),
      silent('TenantwatchContractChanged', 29),
      fires('TenantwatchContractChanged', 40, { resource: 'users', kind: 'unknown_field', severity: 'medium' }),
      // A kind gets its series with its first event.
      fires('TenantwatchContractChanged', 100, { resource: 'users', kind: 'skipped_row', severity: 'medium' }),
      silent('TenantwatchContractChanged', 120),
    ],
  },
]

const mirrored = (resource: string) => `tenantwatch_mirror_records{tenant="acme",resource="${resource}",${at}}`
const never = { severity: 'critical', tenant: 'acme', resource: 'users' }

const firstFullSyncs: readonly AlertScene[] = [
  {
    about: 'a first full sync of many hours that nothing disturbs is neither failing nor never',
    step: 10,
    series: {
      ...alive,
      ...watched,
      [up('users', 'incremental')]: '0x30 1x6',
      [up('users', 'full')]: '0x30 1x6',
      [attempt('users', 'incremental')]: '0x30 18000x6',
      [attempt('users', 'full')]: '0x30 18000x6',
      [success('users')]: '0x30 60x6',
      [mirrored('users')]: '_ 0+30000x35',
    },
    expect: [40, 100, 290, 340].flatMap((minute) => [
      silent('TenantwatchSyncFailing', minute),
      silent('TenantwatchSyncNever', minute),
    ]),
  },
  {
    about: 'an interrupted first full sync continues and then stalls: from then on SyncFailing and SyncNever fire',
    series: {
      ...alive,
      ...watched,
      [up('users', 'full')]: '0x360',
      [attempt('users', 'full')]: '0x20 1200x340',
      [success('users')]: '0x360',
      [mirrored('users')]: '_x2 0+3000x98 294000x260',
    },
    expect: [
      silent('TenantwatchSyncFailing', 100),
      silent('TenantwatchSyncNever', 100),
      silent('TenantwatchSyncFailing', 150),
      fires('TenantwatchSyncFailing', 170, { resource: 'users', mode: 'full', severity: 'high' }),
      silent('TenantwatchSyncNever', 180),
      fires('TenantwatchSyncNever', 200, never),
    ],
  },
  {
    about: 'nothing of a resource is ever read: an hour, and not a day, whether or not a run was tried',
    series: {
      ...alive,
      ...watched,
      [up('users', 'full')]: '0x120',
      [attempt('users', 'full')]: '0x120',
      [success('users')]: '0x120',
    },
    expect: [
      silent('TenantwatchSyncFailing', 100),
      silent('TenantwatchSyncNever', 55),
      fires('TenantwatchSyncNever', 65, never),
    ],
  },
  {
    about:
      'a first full sync restarts again and again and adds a few records: the alert fires after a day nevertheless',
    step: 10,
    series: { ...alive, ...watched, [success('users')]: '0x160', [mirrored('users')]: '0+3x160' },
    expect: [silent('TenantwatchSyncNever', 1400), fires('TenantwatchSyncNever', 1450, { ...never, severity: 'high' })],
  },
  {
    about: 'records that come in do not excuse the runs of a resource that was read before',
    series: {
      ...alive,
      ...watched,
      [up('users', 'full')]: '1x20 0x120',
      [attempt('users', 'full')]: '60+60x140',
      [success('users')]: '60x140',
      [mirrored('users')]: '0+10x140',
    },
    expect: [
      silent('TenantwatchSyncFailing', 45),
      fires('TenantwatchSyncFailing', 60, { resource: 'users', mode: 'full', severity: 'high' }),
    ],
  },
  {
    about: 'runs fail while the daemon is started again every twenty minutes',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x18 _x2 1x18 _x2 1x18 _x2 1x18',
      [`tenantwatch_check_enabled{tenant="acme",check="c",${at}}`]: '1x18 _x2 1x18 _x2 1x18 _x2 1x18',
      [up('roles', 'full')]: '0x18 _x2 0x18 _x2 0x18 _x2 0x18',
      [attempt('roles', 'full')]: '60x18 _x2 60x18 _x2 60x18 _x2 60x18',
      [success('roles')]: '0x18 _x2 0x18 _x2 0x18 _x2 0x18',
    },
    expect: [
      fires('TenantwatchSyncFailing', 40, { resource: 'roles', mode: 'full', severity: 'high' }),
      fires('TenantwatchSyncNever', 70, { ...never, resource: 'roles' }),
    ],
  },
]

const podOf = (instance: string) => {
  const from = `job="tenantwatch",instance="${instance}"`
  return {
    info: `tenantwatch_build_info{${from},version="1"}`,
    enabled: `tenantwatch_check_enabled{tenant="acme",check="c",${from}}`,
    success: `tenantwatch_sync_last_success_timestamp_seconds{${syncOf('roles')},${from}}`,
    limit: `tenantwatch_sync_freshness_limit_seconds{${syncOf('roles')},${from}}`,
    hold: `tenantwatch_hold{tenant="acme",resource="users",reason="shrink_held",${from}}`,
  }
}
const [pod, next] = [podOf('a'), podOf('b')]

const moves: readonly AlertScene[] = [
  {
    about: 'a healthy daemon continues under another address, and the hold is accepted meanwhile',
    series: {
      [pod.info]: '1x30 _x100',
      [pod.enabled]: '1x30 _x100',
      [pod.success]: '0+60x30 _x100',
      [pod.limit]: '900x30 _x100',
      [pod.hold]: '1x30 _x100',
      [next.info]: '_x33 1x100',
      [next.enabled]: '_x33 1x100',
      [next.success]: '_x33 2000+60x100',
      [next.limit]: '_x33 900x100',
      [next.hold]: '_x33 0x100',
    },
    expect: [
      fires('TenantwatchHeld', 30, { resource: 'users' }),
      fires('TenantwatchHeld', 32, { resource: 'users' }),
      silent('TenantwatchHeld', 40),
      silent('TenantwatchSyncStale', 60),
      silent('TenantwatchSyncStale', 80),
    ],
  },
  {
    about: 'a tenant that is fresh, with something on hold, is taken out of the configuration',
    series: {
      ...alive,
      [pod.success]: '0+60x30 _x100',
      [pod.limit]: '900x30 _x100',
      [pod.hold]: '1x30 _x100',
    },
    expect: [
      fires('TenantwatchHeld', 30, { resource: 'users' }),
      silent('TenantwatchHeld', 40),
      silent('TenantwatchSyncStale', 60),
    ],
  },
  {
    about: 'a daemon over stale data dies, and another one finds it as stale: one alert that never ends',
    series: {
      [pod.info]: '1x30 _x100',
      [pod.success]: '60x30 _x100',
      [pod.limit]: '600x30 _x100',
      [next.info]: '_x50 1x100',
      [next.enabled]: '_x50 1x100',
      [next.success]: '_x50 60x100',
      [next.limit]: '_x50 600x100',
    },
    expect: [30, 40, 49, 51, 53, 70].map((minute) =>
      fires('TenantwatchSyncStale', minute, { tenant: 'acme', resource: 'roles', severity: 'critical' }),
    ),
  },
]

const secretOf = (id: string, tenant = 'acme') =>
  `tenantwatch_api_client_secret_expiration_timestamp_seconds{tenant="${tenant}",client_id="${id}",${at}}`
const waivedUntil = (id: string, what: 'expired' | 'expiring') =>
  `tenantwatch_api_client_secret_waived_until_timestamp_seconds{tenant="acme",client_id="${id}",check="api-client-secret-not-${what}",${at}}`
const own = `tenantwatch_own_client_secret_expiration_timestamp_seconds{tenant="acme",${at}}`

const secrets: readonly AlertScene[] = [
  {
    about:
      'each secret has one alert, the most urgent one; a waived one has none, and the last one unless its expiry is waived',
    series: {
      ...alive,
      ...thresholds,
      [secretOf('expired')]: '600x60',
      [secretOf('day')]: `${day}x60`,
      [secretOf('week')]: `${6 * day}x60`,
      [secretOf('month')]: `${20 * day}x60`,
      [secretOf('far')]: `${200 * day}x60`,
      [secretOf('waived')]: '600x60',
      [waivedUntil('waived', 'expired')]: `${day}x60`,
      [secretOf('soon')]: '600x60',
      [waivedUntil('soon', 'expiring')]: `${day}x60`,
    },
    expect: [
      silent('TenantwatchSecretExpired', 8),
      fires(
        'TenantwatchSecretExpired',
        20,
        { client_id: 'expired', severity: 'critical' },
        { client_id: 'soon', severity: 'critical' },
      ),
      fires('TenantwatchSecretExpiryLastDay', 8, { client_id: 'expired' }, { client_id: 'day' }),
      fires('TenantwatchSecretExpiryLastDay', 20, { client_id: 'day' }),
      fires('TenantwatchSecretExpiryImminent', 20, { client_id: 'week' }),
      fires('TenantwatchSecretExpiryNear', 20, { client_id: 'month' }),
    ],
  },
  {
    about: 'each tenant has its own days, and a changed configuration counts at once',
    series: {
      ...alive,
      [threshold('medium')]: `${60 * day}x60`,
      [threshold('high')]: `${14 * day}x30 ${6 * day}x30`,
      [threshold('medium', 'globex')]: `${30 * day}x60`,
      [threshold('high', 'globex')]: `${7 * day}x60`,
      [secretOf('a')]: `${10 * day}x60`,
      [secretOf('b')]: `${50 * day}x60`,
      [secretOf('c', 'globex')]: `${50 * day}x60`,
      [secretOf('d', 'globex')]: `${10 * day}x60`,
    },
    expect: [
      fires('TenantwatchSecretExpiryNear', 20, { client_id: 'b' }, { client_id: 'd' }),
      fires('TenantwatchSecretExpiryImminent', 20, { tenant: 'acme', client_id: 'a' }),
      fires('TenantwatchSecretExpiryNear', 40, { client_id: 'a' }, { client_id: 'b' }, { client_id: 'd' }),
      silent('TenantwatchSecretExpiryImminent', 40),
    ],
  },
  {
    about: 'a secret is rotated: its alert ends',
    series: { ...alive, ...thresholds, ...watched, [secretOf('a')]: `600x30 ${200 * day}x60` },
    expect: [
      fires('TenantwatchSecretExpired', 25, { client_id: 'a' }),
      silent('TenantwatchSecretExpired', 32),
      silent('TenantwatchSecretExpiryLastDay', 32),
      silent('TenantwatchSecretExpiryImminent', 32),
      silent('TenantwatchSecretExpiryNear', 32),
    ],
  },
  {
    about: 'the daemon dies: a waived secret does not alert until a running daemon exports it as no longer waived',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x20 _x60 1x60',
      [`tenantwatch_check_enabled{tenant="acme",check="c",${at}}`]: '1x20 _x60 1x60',
      [secretOf('waived')]: '600x20 _x60 600x60',
      [waivedUntil('waived', 'expired')]: `${day}x20 _x120`,
    },
    expect: [
      silent('TenantwatchSecretExpired', 15),
      silent('TenantwatchSecretExpired', 40),
      silent('TenantwatchSecretExpiryNear', 75),
      fires('TenantwatchSecretExpired', 90, { client_id: 'waived', severity: 'critical' }),
    ],
  },
  {
    about:
      'the daemon dies: a waiver ends at its time, and that a secret expires soon does not accept that it has expired',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x20 _x120',
      [`tenantwatch_check_enabled{tenant="acme",check="c",${at}}`]: '1x20 _x120',
      [secretOf('short')]: '600x20 _x120',
      [waivedUntil('short', 'expired')]: `${60 * 60}x20 _x120`,
      [secretOf('soon')]: `${50 * 60}x20 _x120`,
      [waivedUntil('soon', 'expiring')]: `${day}x20 _x120`,
    },
    expect: [
      silent('TenantwatchSecretExpired', 40),
      silent('TenantwatchSecretExpiryLastDay', 40),
      fires('TenantwatchSecretExpired', 75, { client_id: 'short' }, { client_id: 'soon' }),
      silent('TenantwatchSecretExpiryLastDay', 75),
    ],
  },
  {
    about: 'the checks of secrets are switched off: no rung is climbed, not even when the daemon dies',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x20 _x60',
      [`tenantwatch_check_enabled{tenant="acme",check="api-client-secret-not-expiring",${at}}`]: '0x20 _x60',
      [`tenantwatch_check_enabled{tenant="acme",check="api-client-secret-not-expired",${at}}`]: '1x10 0x10 _x60',
      [secretOf('old')]: '300x20 _x60',
    },
    expect: [
      fires('TenantwatchSecretExpired', 9, { client_id: 'old', severity: 'critical' }),
      ...[15, 40].map((minute) => silent('TenantwatchSecretExpired', minute)),
      ...[9, 15, 40].map((minute) => silent('TenantwatchSecretExpiryLastDay', minute)),
    ],
  },
  {
    about: "the daemon's own secret",
    series: { ...alive, [own]: `${200 * day}x10 ${20 * day}x10 ${5 * day}x40` },
    expect: [
      silent('TenantwatchOwnSecretExpires', 9),
      fires('TenantwatchOwnSecretExpires', 15, { tenant: 'acme', severity: 'high' }),
      fires('TenantwatchOwnSecretExpires', 30, { severity: 'critical' }),
    ],
  },
]

const posture: readonly AlertScene[] = [
  {
    about: 'state sets are read negatively: NaN is not "all is well"',
    series: {
      'tenantwatch_check_status{tenant="acme",check="a",status="unknown"}': `${Array(120).fill('NaN').join(' ')}`,
      'tenantwatch_check_status{tenant="acme",check="off",status="unknown"}': '1x120',
      'tenantwatch_check_status{tenant="acme",check="well",status="unknown"}': '0x120',
      'tenantwatch_check_enabled{tenant="acme",check="a"}': '1x120',
      'tenantwatch_check_enabled{tenant="acme",check="off"}': '0x120',
      'tenantwatch_check_enabled{tenant="acme",check="well"}': '1x120',
    },
    expect: [
      silent('TenantwatchCheckUnknown', 50),
      fires('TenantwatchCheckUnknown', 90, { tenant: 'acme', check: 'a', severity: 'high' }),
    ],
  },
  {
    about: 'a check cannot be evaluated, also across a restart; another alert covers resources that were never read',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x70 _x10 1x60',
      [`tenantwatch_check_enabled{tenant="acme",check="a",${at}}`]: '1x70 _x10 1x60',
      [`tenantwatch_check_enabled{tenant="acme",check="b",${at}}`]: '1x70 _x10 1x60',
      [`tenantwatch_check_status{tenant="acme",check="a",status="unknown",${at}}`]: '1x70 _x10 1x20 0x40',
      [`tenantwatch_check_status{tenant="acme",check="b",status="unknown",${at}}`]: '1x70 _x10 1x60',
      [`tenantwatch_check_unknown_reason{tenant="acme",check="a",reason="missing_permission",${at}}`]:
        '1x70 _x10 1x20 _x40',
      [`tenantwatch_check_unknown_reason{tenant="acme",check="b",reason="never",${at}}`]: '1x70 _x10 1x60',
    },
    expect: [
      ...[65, 75, 85].map((minute) => fires('TenantwatchCheckUnknown', minute, { check: 'a', severity: 'high' })),
      silent('TenantwatchCheckUnknown', 110),
    ],
  },
  {
    about: 'a check has findings of a severity that it has only by the configuration',
    series: {
      ...alive,
      ...watched,
      [`tenantwatch_findings{tenant="acme",check="user-role-active",severity="critical",${at}}`]: '0x30 2x60',
      [`tenantwatch_findings{tenant="acme",check="user-role-active",severity="medium",${at}}`]: '1x90',
      [`tenantwatch_findings{tenant="acme",check="api-client-secret-not-expired",severity="critical",${at}}`]: '1x90',
    },
    expect: [
      silent('TenantwatchUserRoleBroken', 29),
      fires(
        'TenantwatchUserRoleBroken',
        80,
        { check: 'user-role-active', severity: 'critical' },
        { check: 'user-role-active', severity: 'medium' },
      ),
      silent('TenantwatchOwnCheckFails', 80),
    ],
  },
  {
    about: 'a check of the operator has findings',
    series: {
      ...alive,
      ...watched,
      [`tenantwatch_findings{tenant="acme",check="my-own",severity="critical",${at}}`]: '0x30 2x60',
      [`tenantwatch_findings{tenant="acme",check="my-other",severity="low",${at}}`]: '4x90',
    },
    expect: [
      silent('TenantwatchOwnCheckFails', 29),
      fires('TenantwatchOwnCheckFails', 40, { tenant: 'acme', check: 'my-own', severity: 'critical' }),
    ],
  },
]

const waiverOf = (id: string) => `tenant="acme",check="c",waiver="${id}",${at}`
const waiverEnd = (id: string) => `tenantwatch_waiver_expiration_timestamp_seconds{${waiverOf(id)}}`
const orphaned = (id: string) => `tenantwatch_waiver_state{${waiverOf(id)},state="orphaned"}`

const waivers: readonly AlertScene[] = [
  {
    about: 'a waiver ends in a week, one in a year, one has ended and is still configured, one is renewed',
    series: {
      ...alive,
      ...watched,
      [waiverEnd('week')]: `${7 * day}x60`,
      [waiverEnd('year')]: `${365 * day}x60`,
      [waiverEnd('over')]: '60x60',
      [waiverEnd('renewed')]: `60x20 ${365 * day}x60`,
    },
    expect: [
      fires(
        'TenantwatchWaiverEnds',
        10,
        { waiver: 'week', severity: 'medium' },
        { waiver: 'over', severity: 'medium' },
        { waiver: 'renewed', severity: 'medium' },
      ),
      fires('TenantwatchWaiverEnds', 30, { waiver: 'week' }, { waiver: 'over' }),
    ],
  },
  {
    about: 'no waiver ends soon, has lapsed or is orphaned',
    series: {
      ...alive,
      ...watched,
      [waiverEnd('year')]: `${365 * day}x120`,
      [`tenantwatch_waiver_lapsed_findings{${waiverOf('year')}}`]: '0x120',
      [orphaned('year')]: '0x120',
    },
    expect: [
      silent('TenantwatchWaiverEnds', 100),
      silent('TenantwatchWaiverLapsed', 100),
      silent('TenantwatchWaiverOrphaned', 100),
    ],
  },
  {
    about: 'facts that a waiver accepted have changed, and a restart of the daemon does not resolve the alert',
    series: {
      [`tenantwatch_build_info{${at},version="1"}`]: '1x30 _x5 1x100',
      [`tenantwatch_check_enabled{tenant="acme",check="c",${at}}`]: '1x30 _x5 1x100',
      [`tenantwatch_waiver_lapsed_findings{${waiverOf('w')}}`]: '0x20 2x10 _x5 2x20 0x80',
    },
    expect: [
      silent('TenantwatchWaiverLapsed', 19),
      ...[25, 33, 38].map((minute) =>
        fires('TenantwatchWaiverLapsed', minute, { tenant: 'acme', check: 'c', waiver: 'w', severity: 'high' }),
      ),
      silent('TenantwatchWaiverLapsed', 70),
    ],
  },
  {
    about: 'a waiver has nothing to cover, until somebody takes it out',
    series: { ...alive, ...watched, [orphaned('w')]: '0x20 1x100 _x60' },
    expect: [
      silent('TenantwatchWaiverOrphaned', 60),
      fires('TenantwatchWaiverOrphaned', 90, { tenant: 'acme', check: 'c', waiver: 'w', severity: 'medium' }),
      silent('TenantwatchWaiverOrphaned', 130),
    ],
  },
]

const loudness: Readonly<Record<string, readonly [label: string, afterMinutes: number]>> = {
  critical: ['critical', 2],
  high: ['high', 20],
  medium: ['medium', 65],
}

/** Every alert of a check by its own catalogue entry: silent at none, firing with findings, silent again when fixed. */
const byCheck: readonly AlertScene[] = checks.flatMap(({ id, alert }) =>
  alert === null
    ? []
    : Object.entries(loudness).map(([severity, [label, after]]) => ({
        about: `findings of ${id}, ${severity}`,
        series: {
          ...alive,
          ...watched,
          [`tenantwatch_findings{tenant="acme",check="${id}",severity="${severity}",${at}}`]: '0x10 3x90 0x20',
        },
        expect: [
          silent(`Tenantwatch${alert}`, 10),
          fires(`Tenantwatch${alert}`, 12 + after, { tenant: 'acme', check: id, severity: label }),
          silent(`Tenantwatch${alert}`, 105),
        ],
      })),
)

const alertScenes: readonly AlertScene[] = [
  ...watch,
  ...sync,
  ...firstFullSyncs,
  ...moves,
  ...secrets,
  ...posture,
  ...waivers,
  ...byCheck,
]

/** The scenes as files for `promtool test rules`. */
export function promtoolTests(rules: string): readonly object[] {
  const steps = new Set(alertScenes.map(({ step = 1 }) => step))
  return [...steps].map((minutes) => ({
    rule_files: [rules],
    evaluation_interval: `${minutes}m`,
    tests: alertScenes
      .filter(({ step = 1 }) => step === minutes)
      .map(({ about, series, expect }) => ({
        name: about,
        interval: `${minutes}m`,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: expect.map(toQuery),
      })),
  }))
}

function toQuery({ alert, minute, firing }: AlertExpectation) {
  const labels = [...new Set(firing.flatMap((one) => Object.keys(one)))]
  return {
    expr: `count by (${labels.join(', ')}) (ALERTS{alertname="${alert}",alertstate="firing"})`,
    eval_time: `${minute}m`,
    exp_samples: firing.map((one) => ({
      labels: `{${Object.entries(one)
        .map(([name, value]) => `${name}="${value}"`)
        .join(',')}}`,
      value: 1,
    })),
  }
}

/** Alerts that no scene shows firing, or none shows silent. */
export function unprovenAlerts(): readonly string[] {
  const expected = alertScenes.flatMap((scene) => scene.expect)
  const shown = (alert: string, isFiring: boolean) =>
    expected.some((one) => one.alert === alert && one.firing.length > 0 === isFiring)
  const alwaysFires = 'TenantwatchWatchdog'
  return alertNames.filter((alert) => !shown(alert, true) || (alert !== alwaysFires && !shown(alert, false)))
}
