-- Made by "npm run generate" from the fields of the resources (docs/sql.md).

CREATE VIEW "tenantwatch_api_clients" with (security_barrier) as
select
  t.name as "tenant",
  (j.b ->> 'clientId') as "client_id",
  (j.b ->> 'name') as "name",
  (j.b ->> 'roleName') as "role_name",
  (replace((j.b ->> 'secretExpirationDate'), ',', '.') || case when (j.b ->> 'secretExpirationDate') ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$' then '' else 'Z' end)::timestamptz as "secret_expiration_date",
  (replace((j.b ->> 'createdAt'), ',', '.') || case when (j.b ->> 'createdAt') ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$' then '' else 'Z' end)::timestamptz as "created_at",
  to_timestamp(r.first_seen_at / 1000.0) as "first_seen_at",
  to_timestamp(r.missing_since / 1000.0) as "missing_since"
from records r join tenants t on t.id = r.tenant_id
cross join lateral (
  select (case when r.body ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(r.body,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else r.body end)::json as b offset 0
) j
where r.resource = 'api-clients' and r.removed_at is null and r.body is not null;

CREATE VIEW "tenantwatch_settings" with (security_barrier) as
select
  t.name as "tenant",
  (j.b ->> 'ssoEnabled')::boolean as "sso_enabled",
  (j.b ->> 'ssoEnforced')::boolean as "sso_enforced",
  (j.b ->> 'providerType') as "provider_type",
  (j.b ->> 'tenantName') as "tenant_name",
  (j.b ->> 'mfaEnabled')::boolean as "mfa_enabled",
  to_timestamp(r.first_seen_at / 1000.0) as "first_seen_at",
  to_timestamp(r.missing_since / 1000.0) as "missing_since"
from records r join tenants t on t.id = r.tenant_id
cross join lateral (
  select (case when r.body ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(r.body,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else r.body end)::json as b offset 0
) j
where r.resource = 'authentication-settings' and r.removed_at is null and r.body is not null;

CREATE VIEW "tenantwatch_documents" with (security_barrier) as
select
  t.name as "tenant",
  (j.b ->> 'fileId') as "file_id",
  (j.b ->> 'filename') as "filename",
  (j.b ->> 'uploadStatus') as "upload_status",
  (replace((j.b ->> 'createdAt'), ',', '.') || case when (j.b ->> 'createdAt') ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$' then '' else 'Z' end)::timestamptz as "created_at",
  (replace((j.b ->> 'updatedAt'), ',', '.') || case when (j.b ->> 'updatedAt') ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$' then '' else 'Z' end)::timestamptz as "updated_at",
  to_timestamp(r.first_seen_at / 1000.0) as "first_seen_at",
  to_timestamp(r.missing_since / 1000.0) as "missing_since"
from records r join tenants t on t.id = r.tenant_id
cross join lateral (
  select (case when r.body ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(r.body,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else r.body end)::json as b offset 0
) j
where r.resource = 'documents' and r.removed_at is null and r.body is not null;

CREATE VIEW "tenantwatch_permissions" with (security_barrier) as
select
  t.name as "tenant",
  (j.b ->> 'permissionId')::bigint as "permission_id",
  (j.b ->> 'name') as "name",
  (j.b ->> 'module') as "module",
  (j.b ->> 'function') as "function",
  (j.b ->> 'code') as "code",
  to_timestamp(r.first_seen_at / 1000.0) as "first_seen_at",
  to_timestamp(r.missing_since / 1000.0) as "missing_since"
from records r join tenants t on t.id = r.tenant_id
cross join lateral (
  select (case when r.body ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(r.body,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else r.body end)::json as b offset 0
) j
where r.resource = 'permissions' and r.removed_at is null and r.body is not null;

CREATE VIEW "tenantwatch_roles" with (security_barrier) as
select
  t.name as "tenant",
  (j.b ->> 'roleId')::bigint as "role_id",
  (j.b ->> 'name') as "name",
  (j.b ->> 'description') as "description",
  (j.b ->> 'state') as "state",
  (j.b ->> 'type') as "type",
  (j.b ->> 'isReadOnly')::boolean as "is_read_only",
  j.b -> 'permissions' as "permissions",
  to_timestamp(r.first_seen_at / 1000.0) as "first_seen_at",
  to_timestamp(r.missing_since / 1000.0) as "missing_since"
from records r join tenants t on t.id = r.tenant_id
cross join lateral (
  select (case when r.body ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(r.body,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else r.body end)::json as b offset 0
) j
where r.resource = 'roles' and r.removed_at is null and r.body is not null;

CREATE VIEW "tenantwatch_role_permissions" with (security_barrier) as
select
  t.name as "tenant",
  (j.b ->> 'roleId')::bigint as "role_id",
  (m ->> 'permissionId')::bigint as "permission_id",
  (m ->> 'name') as "name",
  (m ->> 'module') as "module",
  (m ->> 'function') as "function",
  (m ->> 'code') as "code"
from records r join tenants t on t.id = r.tenant_id
cross join lateral (
  select (case when r.body ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(r.body,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else r.body end)::json as b offset 0
) j
cross join lateral json_array_elements(j.b -> 'permissions') m
where r.resource = 'roles' and r.removed_at is null and r.body is not null;

CREATE VIEW "tenantwatch_users" with (security_barrier) as
select
  t.name as "tenant",
  (j.b ->> 'userId')::bigint as "user_id",
  (j.b ->> 'firstName') as "first_name",
  (j.b ->> 'lastName') as "last_name",
  (j.b ->> 'email') as "email",
  (j.b ->> 'state') as "state",
  (j.b ->> 'mfaStatus')::boolean as "mfa_status",
  (j.b ->> 'mfaAction')::boolean as "mfa_action",
  (r.supplement::json ->> 'roleId')::bigint as "role_id",
  (j.b ->> 'roleName') as "role_name",
  (replace((j.b ->> 'createdAt'), ',', '.') || case when (j.b ->> 'createdAt') ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$' then '' else 'Z' end)::timestamptz as "created_at",
  to_timestamp((r.supplement::json ->> 'detailReadAt')::bigint / 1000.0) as "role_id_read_at",
  to_timestamp(r.first_seen_at / 1000.0) as "first_seen_at",
  to_timestamp(r.missing_since / 1000.0) as "missing_since"
from records r join tenants t on t.id = r.tenant_id
cross join lateral (
  select (case when r.body ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(r.body,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else r.body end)::json as b offset 0
) j
where r.resource = 'users' and r.removed_at is null and r.body is not null;
