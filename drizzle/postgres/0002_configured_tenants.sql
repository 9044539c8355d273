CREATE TABLE "configured_tenants" (
	"tenant" text COLLATE "C" PRIMARY KEY NOT NULL,
	"resources" text COLLATE "C" NOT NULL,
	"checks" text COLLATE "C" NOT NULL,
	"waivers" text COLLATE "C" NOT NULL
);
