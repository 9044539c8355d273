-- Made by "npm run generate" from the fields of the resources (docs/sql.md).

CREATE VIEW "api_clients" as
select
  t.name as "tenant",
  r.body ->> 'clientId' as "client_id",
  r.body ->> 'name' as "name",
  r.body ->> 'roleName' as "role_name",
  r.body ->> 'secretExpirationDate' as "secret_expiration_date",
  r.body ->> 'createdAt' as "created_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.first_seen_at) / 1000, 'unixepoch') as "first_seen_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.missing_since) / 1000, 'unixepoch') as "missing_since"
from records r join tenants t on t.id = r.tenant_id
where r.resource = 'api-clients' and r.removed_at is null and r.body is not null;

CREATE VIEW "authentication_settings" as
select
  t.name as "tenant",
  r.body ->> 'ssoEnabled' as "sso_enabled",
  r.body ->> 'ssoEnforced' as "sso_enforced",
  r.body ->> 'providerType' as "provider_type",
  r.body ->> 'tenantName' as "tenant_name",
  r.body ->> 'mfaEnabled' as "mfa_enabled",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.first_seen_at) / 1000, 'unixepoch') as "first_seen_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.missing_since) / 1000, 'unixepoch') as "missing_since"
from records r join tenants t on t.id = r.tenant_id
where r.resource = 'authentication-settings' and r.removed_at is null and r.body is not null;

CREATE VIEW "documents" as
select
  t.name as "tenant",
  r.body ->> 'fileId' as "file_id",
  r.body ->> 'filename' as "filename",
  r.body ->> 'uploadStatus' as "upload_status",
  r.body ->> 'createdAt' as "created_at",
  r.body ->> 'updatedAt' as "updated_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.first_seen_at) / 1000, 'unixepoch') as "first_seen_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.missing_since) / 1000, 'unixepoch') as "missing_since"
from records r join tenants t on t.id = r.tenant_id
where r.resource = 'documents' and r.removed_at is null and r.body is not null;

CREATE VIEW "permissions" as
select
  t.name as "tenant",
  r.body ->> 'permissionId' as "permission_id",
  r.body ->> 'name' as "name",
  r.body ->> 'module' as "module",
  r.body ->> 'function' as "function",
  r.body ->> 'code' as "code",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.first_seen_at) / 1000, 'unixepoch') as "first_seen_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.missing_since) / 1000, 'unixepoch') as "missing_since"
from records r join tenants t on t.id = r.tenant_id
where r.resource = 'permissions' and r.removed_at is null and r.body is not null;

CREATE VIEW "roles" as
select
  t.name as "tenant",
  r.body ->> 'roleId' as "role_id",
  r.body ->> 'name' as "name",
  r.body ->> 'description' as "description",
  r.body ->> 'state' as "state",
  r.body ->> 'type' as "type",
  r.body ->> 'isReadOnly' as "is_read_only",
  r.body ->> 'permissions' as "permissions",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.first_seen_at) / 1000, 'unixepoch') as "first_seen_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.missing_since) / 1000, 'unixepoch') as "missing_since"
from records r join tenants t on t.id = r.tenant_id
where r.resource = 'roles' and r.removed_at is null and r.body is not null;

CREATE VIEW "role_permissions" as
select
  t.name as "tenant",
  r.body ->> 'roleId' as "role_id",
  m.value ->> 'permissionId' as "permission_id",
  m.value ->> 'name' as "name",
  m.value ->> 'module' as "module",
  m.value ->> 'function' as "function",
  m.value ->> 'code' as "code"
from records r join tenants t on t.id = r.tenant_id, json_each(r.body -> 'permissions') m
where r.resource = 'roles' and r.removed_at is null and r.body is not null;

CREATE VIEW "users" as
select
  t.name as "tenant",
  r.body ->> 'userId' as "user_id",
  r.body ->> 'firstName' as "first_name",
  r.body ->> 'lastName' as "last_name",
  r.body ->> 'email' as "email",
  r.body ->> 'state' as "state",
  r.body ->> 'mfaStatus' as "mfa_status",
  r.body ->> 'mfaAction' as "mfa_action",
  r.supplement ->> 'roleId' as "role_id",
  r.body ->> 'roleName' as "role_name",
  r.body ->> 'createdAt' as "created_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.supplement ->> 'detailReadAt') / 1000, 'unixepoch') as "role_id_read_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.first_seen_at) / 1000, 'unixepoch') as "first_seen_at",
  strftime('%Y-%m-%dT%H:%M:%SZ', (r.missing_since) / 1000, 'unixepoch') as "missing_since"
from records r join tenants t on t.id = r.tenant_id
where r.resource = 'users' and r.removed_at is null and r.body is not null;
