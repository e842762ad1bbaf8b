//! The folders of the workspace, each with its settings.

use lsp_types::Uri;

use super::settings::Settings;
use crate::database::Compiler;
use crate::inputs::Options;

/// A folder of the workspace; or everything that is in none of its folders.
#[derive(Debug)]
pub(super) struct Folder {
    /// The URI, without a slash at the end; `None` for everything that is in no folder.
    root: Option<Uri>,
    /// The options of the documents in it.
    pub(super) options: Options,
    /// The settings.
    pub(super) settings: Settings,
}

/// The folders.
#[derive(Debug)]
pub(super) struct Folders {
    /// For documents that are in none of the folders.
    elsewhere: Folder,
    all: Vec<Folder>,
}

impl Folder {
    fn new(db: &Compiler, root: Option<Uri>, settings: Settings) -> Self {
        Self {
            root,
            options: db.options(settings.request()),
            settings,
        }
    }

    fn configure(&mut self, db: &mut Compiler, settings: Settings) {
        db.change_options(self.options, settings.request());
        self.settings = settings;
    }

    /// The length of the folder's URI, if a document is in the folder.
    fn has(&self, uri: &Uri) -> Option<usize> {
        let root = self.root.as_ref()?.as_str().trim_end_matches('/');
        let rest = uri.as_str().strip_prefix(root)?;
        rest.starts_with('/').then_some(root.len())
    }

    /// Its address.
    pub(super) fn root(&self) -> Option<&Uri> {
        self.root.as_ref()
    }
}

impl Folders {
    /// A workspace without folders.
    pub(super) fn none(db: &Compiler) -> Self {
        Self {
            elsewhere: Folder::new(db, None, Settings::default()),
            all: Vec::new(),
        }
    }

    /// The innermost folder that a document is in.
    pub(super) fn of(&self, uri: &Uri) -> &Folder {
        let around = self
            .all
            .iter()
            .filter_map(|folder| Some((folder.has(uri)?, folder)));
        around
            .max_by_key(|(length, _)| *length)
            .map_or(&self.elsewhere, |(_, folder)| folder)
    }

    /// Adds a folder. Until its own settings are known it has those of documents in no folder.
    pub(super) fn add(&mut self, db: &Compiler, root: Uri) {
        if !self.roots().any(|known| *known == root) {
            let settings = self.elsewhere.settings.clone();
            self.all.push(Folder::new(db, Some(root), settings));
        }
    }

    pub(super) fn remove(&mut self, root: &Uri) {
        self.all.retain(|folder| folder.root.as_ref() != Some(root));
    }

    /// The URIs of the folders.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Uri> {
        self.all.iter().filter_map(Folder::root)
    }

    /// Sets the settings of all folders.
    pub(super) fn configure(&mut self, db: &mut Compiler, settings: &Settings) {
        for folder in self.all.iter_mut().chain([&mut self.elsewhere]) {
            folder.configure(db, settings.clone());
        }
    }

    /// Sets the settings of one folder.
    pub(super) fn configure_one(&mut self, db: &mut Compiler, root: &Uri, settings: Settings) {
        let own = self
            .all
            .iter_mut()
            .find(|folder| folder.root.as_ref() == Some(root));
        if let Some(folder) = own {
            folder.configure(db, settings);
        }
    }
}
