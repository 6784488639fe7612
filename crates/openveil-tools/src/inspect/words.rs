//! The subjects of column names, in English, German, French, Spanish, Italian, Portuguese and
//! Dutch. `word` matches a whole part of a name, `stem*` the beginning of a part, `*end` its end,
//! `*stem*` any place in it.

/// A subject, and the words for it.
pub(super) struct WordSubject {
    /// Its description, for the reason of a guess.
    pub(super) what: &'static str,
    pub(super) words: &'static str,
}

const fn about(what: &'static str, words: &'static str) -> WordSubject {
    WordSubject { what, words }
}

/// Numbers and names that identify one person.
pub(super) const IDENTIFIERS: [WordSubject; 8] = [
    about(
        "a person's name",
        "name firstname lastname fullname surname* forename* givenname nachname vorname nom \
         prenom apellido* nombre* cognome naam achternaam voornaam sobrenome initials",
    ),
    about("an e-mail address", "email* mail correo courriel"),
    about("a telephone number", "phone* telephone* telefon* mobile handy cell fax tel"),
    about("an address", "address* street* strasse* adresse* direccion* indirizzo* adres endereco"),
    about("an account or card number", "account* iban konto* creditcard* cardnumber"),
    about(
        "an official number",
        "ssn passport* nhs mrn dni nif bsn ahv cpf license* licence* plate vin matricul* \
         steuernummer",
    ),
    about("an address on the internet", "url* website ip username* login"),
    about(
        "a number of a person or record",
        "user users kunde* customer* client* childid kidid student* pupil* persnum intnum serialno sporder nord numind indiv indid nquest nohouse* respid id ids pid uid uuid guid ident* kennung* caseid obs nr no num number nummer numero person* \
         subject* respondent* participant* patient* recordid bib key code",
    ),
];

/// Parts of column names that denote a person's name; other names are of clinics or products.
pub(super) const PERSONS_NAMES: &str = "firstname lastname fullname givenname familyname middlename \
     surname forename nachname vorname prenom apellido cognome achternaam voornaam sobrenome";

/// Last parts of names of columns that number people, cases or stays.
pub(super) const NUMBERS: [WordSubject; 1] = [about(
    "a number of a person or record",
    "id ids pid uid uuid guid no nr number nummer numero recordid mrn kvnr hn patno caseno \
     *nummer *nr *numero secu nir",
)];

/// Documents and their holders: their numbers identify a person, whatever they are about.
pub(super) const PAPERS: [WordSubject; 1] = [about(
    "somebody's papers",
    "record records card chart file member* insured policy* patient* pat versicherten* \
     krankenkasse* akte* dossier* insurance sample specimen lab secu nir",
)];

/// Numbers of households, families and the like.
pub(super) const HOUSEHOLDS: [WordSubject; 1] = [about(
    "a household",
    "hh hhid hhnr hhno hhnum hhn idhh idhog household* haushalt* family famid familie* menage menages foyer* logement* hogar* \
     vivienda* familia* famiglia* nucleo* familiare agregado* domicilio* gezin* huishoud* dwelling* famnr fid",
)];

/// Numbers of the units of a survey's sample.
pub(super) const SAMPLE_UNITS: [WordSubject; 1] = [about(
    "a unit of a survey's sample",
    "sdmvpsu sdmvstra sdmvstr psu psuid ssu cluster* clustid klumpen* grappe* conglomerado* grappolo* upm segmento* ea eaid enumeration* sampling* stratum strata \
     samplepoint",
)];

/// Facts that others may know about a person.
pub(super) const KNOWN: [WordSubject; 12] = [
    about(
        "age",
        "agep ages ageyr agegrp lebensalter anni age* alter altersgruppe* edad* eta leeftijd* idade* aetas",
    ),
    about(
        "sex",
        "sex gender* geschlecht* sexe sexo sesso geslacht* genero female male woman man isfemale",
    ),
    about(
        "birth",
        "gebjaar gebjahr geboorte* anasc annasc yrbirth birthyr nascimento birth birthd* birthy* birthp* birthm* born dob yob geb* geburt* gebdat* naissance* nacimiento* nascita* \
         nascimento* anniversary sign",
    ),
    about(
        "a place",
        "village* address* population* st puma division zone zona lga area areas ireg munic* milieu residenza wohnung* cep bairro estado uf regiao comuna parish provincie woonplaats embarked cabin zip* postal* postcode* postcode plz postleitzahl* city town* stadt* ort wohnort* ville \
         ciudad* citta* comune commune* municip* gemeinde* landkreis* lsoa msoa state* county* \
         region* bundesland* provinc* district* distrito kreis canton* kanton* country* land pays \
         postnummer postnr flur* pais paese place* residen* location* precinct* neighbo* borough urban* rural* smsa lat lon \
         long latitude longitude community* south* north* west east metro* codigopostal",
    ),
    about(
        "origin",
        "afam cauc eth ethrace* hisp hispanic rac raca race nonwhite muttersprache* nacional* pobp ancestr* race racef racegr* raceeth* raceth* drace racial ethn* ethnic* hispan* black white nwhite asian \
         nation* citizen* immig* minorit* migra* foreign* herkunft* staatsang* nacionalidad* cittadinanza* \
         nationalite* language* lang sprache mothertongue",
    ),
    about(
        "family",
        "baby babies infant* teen* preteen* separated cohab* siblings* maried mom mum sibs birthord* brthord sibsp parch aantalki aantalhh burgstat burgerlijk* staciv statociv estciv mstat marst maritl hhsiz numdep ndep dependents nchild nadults lien parent* mother* father* medu fedu guardian famsize pstatus partner partners sposat* conjuge conyuge kidslt youngkids oldkids relat relate relhh marital* married* marr* marri* spous* husband* wife* familienstand* zivilstand* etatcivil \
         matrimon* civil famil* fam household* hhsize child* childr* kid* kinder* enfants hijos figli \
         kinderen sibling* dkids dykids depend* divorce* widow* single parents",
    ),
    about(
        "education",
        "qualif* major schl hieduc isced* oplcat titstu* grado instruc* niveau* etude* klasse* schulform* eduyrs edu* educat* educ* school* yschool degree* college* universit* bildung* schul* abschluss* estud* \
         titolo* opleiding* diplom* ed edu escol* studi* grad hsgrad yrseduc",
    ),
    about(
        "work",
        "workstat athlete* parttime fulltime overtime exper exper* tenur* trade services construc* profserv *occ isco* nace naics sic cow workclass jobrole joblevel overtime* hours hrs uhrs* wkhp wkw belbezig* business* department pclass class occ* occup* job jobtitle job* profession* beruf* metier* oficio lavoro beroep* profissao* \
         emp employ* empl* work* wrk* industry* branche* sector* union* selfemp* tenure* title \
         position company* employer* department* abteilung* bluecol* retired rank team veteran*",
    ),
    about("looks", "height* groesse* taille altura* eye* hair*"),
    about(
        "a date or time",
        "season* quarter semester date* datum* fecha* data year* jahr* annee* ano anno jaar month* monat* mois mes day \
         weekday timestamp* admis* admit* visit* entry yr yr* arrival*",
    ),
    about(
        "home",
        "electric* radio tv television bicycle* driver drivers driving woning* woonvorm* condominium* condo apartment* dwelling* vivienda home homeowner* house* rent* rental* own* owner* car cars vehicle* wohn*",
    ),
    about(
        "an institution",
        "site centre center hospital clinic* ward* station bank branch court* office* precinct*",
    ),
];

/// Facts that a person would want to keep secret.
pub(super) const SECRET: [WordSubject; 12] = [
    about(
        "health",
        "steroid* inherit* recurr* hlth preg skin memory* cognit* activ* physical* doctor* physician* nurse* hosp hospa* hospd* hosps* prescri* nonpresc* immun* ulcer* meno pulse anx exerc* exer chron* ecog karno* fehltag* foerder* behind* allerg* surgery absence* diag* diagn* *diagnose *diagnosen dx disease* ill* illn* icd* symptom* hiv aids cancer* tumor* tumour* \
         infect* iinfct rinfct std krank* *krankheit *krankung befund* maladie* enfermedad* malattia* \
         ziekte* doenca* health* gesund* sante salud salute medic* medicat* medik* *medikament arznei* meds \
         drug* dose* dosis dosag* dosage* therap* surger* operat* treatment* pregnan* abort* menopaus* hormon* \
         blood* blut* bp sbp dbp trestbps chol* cholest* glucose* insulin* cd hemoglobin* creatin* platelet* \
         albumin* bilirubin* heart* stroke* diabet* asthma* hypert* thyro* goitre* lung* kidney* \
         liver* pain* abdpain lesion* rash itch* fever* cough* mental* psych* depress* anxi* anxiet* suicid* \
         stress* disab* handicap* behinder* injur* hospitaliz* icu vaccin* covid* gestation* parity \
         bwt birthw* biops* lymph* nodes stage ecg mri scan lab mutation* gene allel* hla transplant* \
         reject* limit sick* complic*",
    ),
    about(
        "income and means",
        "ses socioecon* cash lunch freelunch wagp pincp hincp bruto* netto* brutoink* nettoink* inkomen* fare valor* gasto* salario* hourlyrate monthlyrate dailyrate monthlyincome percentsalary* befrei* lernmittel* income* inc rinc famincr faminc* *rinc* salar* wage* lwage earn* earning* pay payment* lohn* *lohn \
         gehalt* monatsgehalt jahresgehalt bruttogehalt nettogehalt einkomm* *einkommen salaire* revenu* sueldo* ingreso* reddito* stipend* loon inkomen* renda \
         wealth* asset* vermoegen* debt* loan* credit* default* balance* mortgage* bankrupt* tax* \
         networth* capital* expend* spend* price* benefit* welfare* pension* poverty* poor \
         bonus* interest* installment* savings* gift* donat* amount* amt* delinq* collect*",
    ),
    about(
        "crime",
        "crim* crimin* arrest* convict* offens* offenc* sentenc* prison* jail* felon* charge* recid* \
         prior* victim* guilt* straf* delito* reato* parole* probation* weapon* violen* gang* \
         execut* citation* search*",
    ),
    about(
        "addiction",
        "alc smok* cigar* tobacco* rauch* alcohol* alkohol* alk drink* drunk* heroin* cocain* marij* cannab* \
         opioid* substance* addict* anysub* daysany* gambl*",
    ),
    about(
        "sexual life",
        "sexual* sexpart* sexwork* firstsex lastsex sexrisk* orient* npartner* condom condoms condomuse affair* intercourse contracep* \
         vagina*",
    ),
    about(
        "religion",
        "god attend* spirit* protestant* relig* faith* church* prayer* bornagain konfession* glaub* denomin* muslim* catholic* \
         christ* jew*",
    ),
    about(
        "opinion",
        "pride protest* authorit* respect* importan* vot* party* partei* parti partido* polit* ideol* opinion* attitud* meinung* trust* happy* \
         happiness* satisf* satis* lifesat* support* approv* favo* agree* pid* *racis* fear* \
         conserv* liberal* stance* belief* immigattitude",
    ),
    about(
        "achievement",
        "read write writ* science* arit* literacy* knowledge* course* score* gpa grades test* exam* iq mark* note noten punkt* rating* performance* nota \
         voto sat act ability* aptitude* skill* math* reading writing verbal*",
    ),
    about(
        "an outcome",
        "durat* delta deny denied denial morte muerte obito dropout* attrition result* outcome* discharg* entlass* disposition* todesursache* *ursache death* dead died \
         surviv* surv rectime survtime futime status* fustat event* relaps* response* target* num y \
         censor* cens days follow* mortal*",
    ),
    about("a measure of the body", "bmi weight gewicht* poids peso"),
    about(
        "personality",
        "extrav* agreeab* conscien* neurot* open* critic* calm* sympath* reserv* anxious \
         dependable disorgan* uncreat* upset* selfesteem*",
    ),
    about(
        "household troubles",
        "privins medicare medigap homeless* evict* laid* laidoff* jobl* unemp* arbeitslos* insur* uninsur*",
    ),
];

/// Subjects that neither identify nor describe a person.
pub(super) const DESIGN: [WordSubject; 2] = [
    about(
        "the design of a survey or trial",
        "comply complian* arm group treat trt survey* sampl* design* placebo control* random* cluster* strat* psu fold \
         wave* batch* cohort* version* interview* mode order* sample* orderset trial",
    ),
    about(
        "a weight of a survey",
        "perweight hhweight wtint wtmec wtss pwgtp pesofit poids pond* peso_amostral hhwgt indwgt wgt* weights pweight* prob sweight* wtssall pspwght dweight anweight perwt hhwt finalwt \
         fnlwgt gewichtung*",
    ),
];

/// Values that show of what a column is, whatever its name, and that others may know.
pub(super) const KNOWN_VALUES: [WordSubject; 5] = [
    about(
        "sexes",
        "f m w h female male woman man women men girl boy frau mann weiblich maennlich mannlich femme homme mujer hombre",
    ),
    about(
        "states of the family",
        "single married unmarried divorced widow widowed separated cohabit* partner ledig verheiratet geschieden verwitwet \
         celibataire marie divorce veuf soltero casado divorciado viudo",
    ),
    about(
        "origins",
        "white black asian hispanic latino caucasian caucas cauc afam african* afro* arab* native indian pacific mixed \
         multiracial nonwhite european*",
    ),
    about(
        "levels of education",
        "school hs highschool college bachelor* master* doctorate phd degree diploma university elementary \
         graduate undergrad* postgrad* vocational abitur hauptschule realschule gymnasium",
    ),
    about(
        "places",
        "north south east west northeast northwest southeast southwest northcentral midwest central urban rural suburban suburb city town village",
    ),
];

/// Values that show that a column is a secret, whatever its name.
pub(super) const SECRET_VALUES: [WordSubject; 3] = [
    about(
        "opinions",
        "agree disagree oppose* favor favour support* approve* disapprove* satisfied dissatisfied unsatisfied like dislike yesvote novote",
    ),
    about(
        "outcomes",
        "alive dead died survived deceased relapse* censored recovered discharged dropout",
    ),
    about(
        "states of health",
        "benign malignant positive negative healthy sick ill normal abnormal diabetic remission pain excellent poor",
    ),
];

/// Values of any column that say nothing about its subject.
pub(super) const PLAIN_VALUES: [WordSubject; 1] =
    [about("no subject", "other unknown unk refused dk none neither missing undetermined")];

/// Ages over 89, an identifier of Safe Harbor.
pub(super) const AGES: &str = "C: ages over 89";

/// Days and months of dates, an identifier of Safe Harbor.
pub(super) const DATES: &str = "C: dates";

/// The residual kind of identifiers of Safe Harbor.
pub(super) const ANY_OTHER: &str = "R: any other number or code of a person";

/// The names of the kinds of identifiers of Safe Harbor, A to R, in checklists.
pub(super) const SAFE_HARBOR_KINDS: [&str; 18] = [
    "names",
    "places smaller than a state",
    "dates, and ages over 89",
    "telephone numbers",
    "fax numbers",
    "e-mail addresses",
    "social security numbers",
    "medical record numbers",
    "health plan beneficiary numbers",
    "account numbers",
    "certificate and license numbers",
    "vehicle identifiers",
    "device identifiers",
    "web addresses",
    "addresses of computers (IP)",
    "biometric identifiers",
    "photographs",
    "any other number or code of a person",
];

/// The subjects of columns that HIPAA's Safe Harbor (45 CFR 164.514(b)(2)) calls identifiers, by
/// name.
pub(super) const SAFE_HARBOR: [WordSubject; 18] = [
    about(
        "A: names",
        "name firstname lastname fullname surname* forename* initials nachname vorname",
    ),
    about(
        "B: places smaller than a state",
        "zip* postal* postcode* postcode codigopostal plz postleitzahl* city town* county* precinct* \
         district* distrito street* strasse* address* adress* direccion* indirizzo* neighbo* borough \
         community lsoa msoa lat lon latitude longitude stadt* ort wohnort* gemeinde* kreis landkreis* \
         ville commune* comune ciudad* citta* municip*",
    ),
    about(AGES, "age alter edad eta leeftijd idade pan"),
    about(
        DATES,
        "birth* dob born date* dt admi* admis* admit* discharge* death* datum* geburt* geb naissance* \
         nacimiento* nascita* aufnahme* entlass*",
    ),
    about("D: telephone numbers", "phone* telephone* telefon* mobile tel"),
    about("E: fax numbers", "fax*"),
    about("F: e-mail addresses", "email* mail"),
    about("G: social security numbers", "ssn socialsecurity*"),
    about("H: medical record numbers", "mrn nhs medrec*"),
    about("I: health plan beneficiary numbers", "beneficiary* mbi hicn"),
    about("J: account numbers", "account* iban konto* creditcard*"),
    about("K: certificate and license numbers", "license* licence* passport* certificate*"),
    about("L: vehicle identifiers", "plate vin"),
    about("M: device identifiers", "device* serial*"),
    about("N: web addresses", "url* website"),
    about("O: addresses of computers", "ip"),
    about("P: biometric identifiers", "fingerprint* voice* retina* biometr*"),
    about("Q: photographs", "photo* image* face*"),
];
